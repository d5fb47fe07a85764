// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence_test

import (
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/evidence"
	"github.com/draconform/draconform/e2e/requirements"
	"github.com/draconform/draconform/e2e/suite"
)

// The outcome of a requirement follows from the specs that prove it.
// Requirements without specs are left out.
func TestRequirementOutcomes(t *testing.T) {
	g := NewWithT(t)
	var proving, other string
	want := 0
	for _, r := range requirements.All() {
		if len(r.Specs) == 0 {
			continue
		}
		want++
		switch {
		case !strings.HasPrefix(r.ID, "4815-"): // Others may be of releases without the feature.
		case proving == "":
			proving = r.Specs[0]
		case r.Specs[0] != proving:
			other = r.Specs[0]
		}
	}
	run := report.Report{Cluster: report.Cluster{Components: []report.Component{{Name: "kube-apiserver", Version: "v1.37.1"}}}}
	run.Specs = []report.Spec{{ID: proving, Outcome: suite.Failed}}
	outcomes := evidence.RequirementOutcomes(run)
	g.Expect(outcomes).To(HaveLen(want))
	for _, j := range outcomes {
		switch j.Specs[0] {
		case proving:
			g.Expect(j.Outcome).To(Equal("failed"), j.ID)
		case other:
			g.Expect(j.Outcome).To(Equal("not-run"), j.ID)
		}
	}
}

// A provisional spec neither proves nor disproves a requirement, whose reason does not say
// that the spec was left out.
func TestRequirementOutcomesIgnoreProvisionalSpecs(t *testing.T) {
	g := NewWithT(t)
	const id = "partition-excludes-whole"
	for _, outcome := range []suite.Outcome{suite.Passed, suite.Failed, suite.NotSupported} {
		run := report.Report{Cluster: report.Cluster{Components: []report.Component{{Name: "kube-apiserver", Version: "v1.37.1"}}}}
		run.Specs = []report.Spec{{ID: id, Level: "provisional", Outcome: outcome}}
		found := 0
		for _, j := range evidence.RequirementOutcomes(run) {
			if slices.Contains(j.Specs, id) {
				found++
				g.Expect(j.Outcome).To(Equal("not-run"), j.ID)
				g.Expect(j.Reason).To(ContainSubstring(id+" is provisional"), j.ID)
			}
		}
		g.Expect(found).To(BeNumerically(">", 0))
	}
}

// A requirement that cannot be observed in the cluster is not failed and has a
// reason.
func TestRequirementOutcomesDependOnGates(t *testing.T) {
	g := NewWithT(t)
	run := report.Report{Cluster: report.Cluster{
		Components: []report.Component{{Name: "kube-apiserver", Version: "v1.36.3"}}, Gates: map[string]bool{"DRAPartitionableDevices": false},
	}}
	run.Specs = []report.Spec{{ID: "partition-excludes-whole", Outcome: suite.Failed}}
	found := false
	for _, j := range evidence.RequirementOutcomes(run) {
		if j.ID == "4815-counters-across-claims" {
			found = true
			g.Expect(j.Outcome).To(Equal("not-supported"))
			g.Expect(j.Reason).To(Equal("the feature gate DRAPartitionableDevices is disabled"))
		}
	}
	g.Expect(found).To(BeTrue())
}
