// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"strings"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongMetrics are clusters whose components have wrong metrics.
var wrongMetrics = wrong.Table{
	"controller manager counts all claims as allocated": {
		Options: mismeasures(`allocated="false"`, `allocated="true"`), Spec: "metrics-count-claims",
		Want: []string{"dynamic_resource_allocation_resource_claims", "should be 1, and is 2"},
	},
	"controller manager has no metric of claims": {
		Options: mismeasures("dynamic_resource_allocation_resource_claims", "resourceclaim_controller_resource_claims"), Spec: "metrics-count-claims",
		Want: []string{"should be 1, and is 0", "a claim was created, and another one allocated"},
	},
	"controller manager counts claims once": {
		Options: wrong.With(fakecluster.MetricsMistakes{Mismeasures: once("dynamic_resource_allocation_resource_claims")}), Spec: "metrics-count-claims",
		Want: []string{"the metric dynamic_resource_allocation_resource_claims"},
	},
	"controller manager does not count generated claims": {
		Options: wrong.With(fakecluster.MetricsMistakes{Mismeasures: once("dynamic_resource_allocation_resourceclaim_creates_total")}), Spec: "metrics-count-generated-claims",
		Want: []string{"should be 2, and is 0", "two claims were created"},
	},
}

// mismeasures returns the options of a cluster whose metrics have another text.
func mismeasures(from, to string) fakecluster.Options {
	return wrong.With(fakecluster.MetricsMistakes{Mismeasures: func(text string) string { return strings.ReplaceAll(text, from, to) }})
}

// once returns a change of metrics: those whose names begin with a text never
// change.
func once(name string) func(string) string {
	first := map[string]string{}
	return func(text string) string {
		lines := strings.SplitAfter(text, "\n")
		for i, line := range lines {
			if key, _, _ := strings.Cut(line, "} "); strings.HasPrefix(line, name+"{") {
				if _, ok := first[key]; !ok {
					first[key] = line
				}
				lines[i] = first[key]
			}
		}
		return strings.Join(lines, "")
	}
}
