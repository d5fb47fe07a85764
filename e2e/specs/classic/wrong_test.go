// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic_test

import (
	"context"
	"regexp"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/classiccluster"
	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/specs/classic"
	"github.com/draconform/draconform/e2e/suite"
)

// right is the name of a cluster without faults.
const right = "right"

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

func admits(messages ...string) classiccluster.Mistakes {
	return classiccluster.Mistakes{Admits: messages}
}

func TestMain(m *testing.M) {
	suiterun.Main(m, func(name string) (suiterun.Case, bool) {
		if name == right {
			return caseOf(classiccluster.Mistakes{}, ""), true
		}
		c, ok := wrongClusters[name]
		return caseOf(c.mistakes, c.spec), ok
	})
}

// caseOf returns a run of one spec, or of all, in an in-memory cluster of Kubernetes
// 1.31.
func caseOf(mistakes classiccluster.Mistakes, spec string) suiterun.Case {
	return suiterun.Case{Change: func(ctx context.Context, o *suite.Options) context.Context {
		client, err := classiccluster.New(mistakes)
		if err != nil {
			panic(err) // The test fails.
		}
		o.Specs, o.Client, o.Release = classic.Specs, client, "v1.31.4"
		o.Found = features.Set{features.ControlPlaneController: {Present: true}}
		if spec != "" {
			o.Selection.Focus = "^" + regexp.QuoteMeta(spec) + "$"
			// The specs wait for what never happens.
			o.Timeouts.PodStart, o.Timeouts.Deletion = 2*time.Second, 2*time.Second
		}
		return ctx
	}}
}

func TestSpecsPassInARightCluster(t *testing.T) {
	g := NewWithT(t)
	outcome := suiterun.Run(t, right)
	g.Expect(outcome.Err).To(BeEmpty())
	for _, s := range classic.Specs {
		got := outcome.Of(s.ID)
		g.Expect(got.Outcome).To(Equal(suite.Passed), "%s: %s", s.ID, got.Reason)
	}
	g.Expect(outcome.Namespaces).To(BeEmpty())
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
