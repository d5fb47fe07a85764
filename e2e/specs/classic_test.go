// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package specs_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/specs/classic"
	"github.com/draconform/draconform/e2e/specs/classic/wrongclusters"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicCluster is the prefix of cases that run specs of classic DRA.
const classicCluster = "classic/"

// rightClassicCluster returns the name of the cluster without faults for a spec.
func rightClassicCluster(s suite.Spec) string {
	switch {
	case slices.Contains(s.Features, features.ResourceClasses):
		return wrongclusters.Earlier
	case len(s.AbsentFeatures) > 0:
		return wrongclusters.WithoutGate
	}
	return wrongclusters.Right
}

// runsInClassicCluster reports whether a spec runs in a cluster without faults.
func runsInClassicCluster(s suite.Spec, cluster string) bool {
	switch cluster {
	case wrongclusters.Uninstalled:
		return rightClassicCluster(s) == wrongclusters.Right && !slices.Contains(s.Needs, env.NeedsClassicDriver)
	case wrongclusters.Busy:
		return rightClassicCluster(s) == wrongclusters.Right
	}
	return rightClassicCluster(s) == cluster
}

func TestClassicSpecsPassInRightClusters(t *testing.T) {
	t.Parallel()
	for name := range wrongclusters.RightClusters {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			outcome := suiterun.Run(t, classicCluster+name)
			g.Expect(outcome.Err).To(BeEmpty())
			for _, s := range classic.Specs {
				got := outcome.Of(s.ID)
				if !runsInClassicCluster(s, name) {
					g.Expect(got.Outcome).To(BeElementOf(suite.NotSupported, suite.NotApplicable), s.ID)
					continue
				}
				g.Expect(got.Outcome).To(Equal(suite.Passed), "%s: %s", s.ID, got.Reason)
			}
			g.Expect(outcome.Namespaces).To(BeEmpty())
		})
	}
}

func TestClassicSpecsFailInWrongClusters(t *testing.T) {
	t.Parallel()
	var names []string
	for _, name := range slices.Sorted(maps.Keys(wrongclusters.All)) {
		names = append(names, classicCluster+name)
	}
	for _, batch := range suiterun.Batches(names) {
		for _, name := range batch.Names {
			c := wrongclusters.All[strings.TrimPrefix(name, classicCluster)]
			t.Run(strings.TrimPrefix(name, classicCluster), func(t *testing.T) {
				t.Parallel()
				g := NewWithT(t)
				got := batch.Outcome(t, name).Of(c.Spec)
				g.Expect(got.Outcome).To(Equal(suite.Failed), got.Reason)
				g.Expect(got.Reason).To(ContainSubstring(c.Want))
			})
		}
	}
}

func TestEveryClassicSpecDetectsAWrongCluster(t *testing.T) {
	g := NewWithT(t)
	detected := map[string]bool{}
	for _, c := range wrongclusters.All {
		detected[c.Spec] = true
	}
	for _, s := range classic.Specs {
		g.Expect(detected).To(HaveKey(s.ID))
	}
	g.Expect(detected).To(HaveLen(len(classic.Specs)), "there are wrong clusters for specs that do not exist")
}
