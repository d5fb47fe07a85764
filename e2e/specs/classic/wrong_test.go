// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic_test

import (
	"context"
	"regexp"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/classiccluster"
	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/specs/classic"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// The names of clusters without faults.
const (
	right       = "right"
	withoutGate = "without the gate"
	earlier     = "1.30"
	// uninstalled is a cluster in which specs start drivers themselves.
	uninstalled = "without an installed driver"
)

var rightClusters = map[string]classiccluster.Mistakes{right: {}, withoutGate: {WithoutGate: true}, earlier: {Earlier: true}, uninstalled: {}}

// clusterOf returns the name of the right cluster for a spec.
func clusterOf(s suite.Spec) string {
	switch {
	case slices.Contains(s.Features, features.ResourceClasses):
		return earlier
	case len(s.AbsentFeatures) > 0:
		return withoutGate
	}
	return right
}

// runsIn reports whether a spec runs in a right cluster.
func runsIn(s suite.Spec, cluster string) bool {
	if cluster == uninstalled {
		return clusterOf(s) == right && !slices.Contains(s.Needs, env.NeedsClassicDriver)
	}
	return clusterOf(s) == cluster
}

// wrongCluster is a cluster with a fault, and the spec that must detect it.
type wrongCluster struct {
	mistakes classiccluster.Mistakes
	spec     string
	// want is a part of the reason of the failure.
	want string
}

func scheduler(m classiccluster.SchedulerMistakes) classiccluster.Mistakes {
	return classiccluster.Mistakes{Scheduler: m}
}

func manager(m classiccluster.ManagerMistakes) classiccluster.Mistakes {
	return classiccluster.Mistakes{Manager: m}
}

func drivesWith(m classiccluster.DriverMistakes) classiccluster.Mistakes {
	return classiccluster.Mistakes{Driver: m}
}

func earlierDriver(m classiccluster.DriverMistakes) classiccluster.Mistakes {
	return classiccluster.Mistakes{Earlier: true, Driver: m}
}

func kubelet(m classiccluster.KubeletMistakes) classiccluster.Mistakes {
	return classiccluster.Mistakes{Kubelet: m}
}

func admits(messages ...string) classiccluster.Mistakes {
	return classiccluster.Mistakes{Admits: messages}
}

func TestMain(m *testing.M) {
	suiterun.Main(m, func(name string) (suiterun.Case, bool) {
		if mistakes, ok := rightClusters[name]; ok {
			return caseOf(mistakes, "", name != uninstalled), true
		}
		c, ok := wrongClusters[name]
		return caseOf(c.mistakes, c.spec, true), ok
	})
}

// caseOf returns a run of one spec, or of all, in an in-memory cluster, in which a driver
// may be installed.
func caseOf(mistakes classiccluster.Mistakes, spec string, installed bool) suiterun.Case {
	return suiterun.Case{Change: func(ctx context.Context, o *suite.Options) context.Context {
		client, access, err := classiccluster.New(mistakes)
		if err != nil {
			panic(err) // The test fails.
		}
		o.Specs, o.Client, o.Release, o.ControlPlane, o.Workers = classic.Specs, client, "v1.31.4", access, 2
		o.ClassicControllers = access
		if installed {
			o.Classic = access
		}
		o.Found = features.Set{
			features.ClassicAPI: {Present: !mistakes.Earlier}, features.ResourceClasses: {Present: mistakes.Earlier},
			features.ControlPlaneController: {Present: !mistakes.Earlier && !mistakes.WithoutGate},
		}
		if spec != "" {
			o.Selection.Focus = "^" + regexp.QuoteMeta(spec) + "$"
			// The specs wait for what never happens.
			o.Timeouts.PodStart, o.Timeouts.Deletion, o.Timeouts.Recovery = 2*time.Second, 2*time.Second, 2*time.Second
		}
		return ctx
	}}
}

func TestSpecsPassInARightCluster(t *testing.T) {
	for name := range rightClusters {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			outcome := suiterun.Run(t, name)
			g.Expect(outcome.Err).To(BeEmpty())
			for _, s := range classic.Specs {
				got := outcome.Of(s.ID)
				if !runsIn(s, name) {
					g.Expect(got.Outcome).To(BeElementOf(suite.NotSupported, suite.NotApplicable), s.ID)
					continue
				}
				g.Expect(got.Outcome).To(Equal(suite.Passed), "%s: %s", s.ID, got.Reason)
			}
			g.Expect(outcome.Namespaces).To(BeEmpty())
		})
	}
}

func TestWrongClustersFail(t *testing.T) {
	for name, c := range wrongClusters {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			got := suiterun.Run(t, name).Of(c.spec)
			g.Expect(got.Outcome).To(Equal(suite.Failed), got.Reason)
			g.Expect(got.Reason).To(ContainSubstring(c.want))
		})
	}
}

func TestEverySpecDetectsAWrongCluster(t *testing.T) {
	g := NewWithT(t)
	detected := map[string]bool{}
	for _, c := range wrongClusters {
		detected[c.spec] = true
	}
	for _, s := range classic.Specs {
		g.Expect(detected).To(HaveKey(s.ID))
	}
	g.Expect(detected).To(HaveLen(len(classic.Specs)), "there are wrong clusters for specs that do not exist")
}
