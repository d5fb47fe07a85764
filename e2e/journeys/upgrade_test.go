// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journeys_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/journeys"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/taintrules"
)

func TestMain(m *testing.M) {
	suiterun.Main(m, func(name string) (suiterun.Case, bool) {
		if c, ok := classicCases[name]; ok {
			return c.run(), true
		}
		c, ok := upgrades[name]
		return c.run(), ok
	})
}

// upgraded is a cluster in which upgrade-under-workloads runs.
type upgraded struct {
	mistakes fakecluster.Mistakes
	// losesRules: the API server loses DeviceTaintRules in each change.
	losesRules bool
	// unprovided: there is no room for a node image.
	unprovided bool
	// broken is the number of the step that breaks, from 0, and want why. A right
	// cluster breaks none.
	broken int
	want   string
	// outcome is that of the journey, by default failed.
	outcome suite.Outcome
}

var upgrades = map[string]upgraded{
	"right": {broken: 5, outcome: suite.Passed},
	"kubelets forget prepared claims": {
		mistakes: fakecluster.MistakesOf(fakecluster.KubeletMistakes{NeverAsks: true}), broken: 2, want: "claim gpu-0 should be prepared: false",
	},
	"claims stay reserved for deleted pods": {
		mistakes: fakecluster.MistakesOf(fakecluster.ControllerMistakes{HoldsForDeleted: true}), broken: 1, want: "a deleted pod and its claim should be removed",
	},
	"generated claims stay": {
		mistakes: fakecluster.MistakesOf(fakecluster.ControllerMistakes{KeepsOrphans: true}), broken: 2, want: " of the deleted pod generated still exists: ",
	},
	"no node image":  {unprovided: true, outcome: suite.Skipped, broken: 1, want: "not finished, because there is no room"},
	"rules are lost": {losesRules: true, broken: 1, want: "-worn was deleted"},
}

func TestUpgradeUnderWorkloads(t *testing.T) {
	for name, c := range upgrades {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			got := suiterun.Run(t, name).Of("upgrade-under-workloads")
			g.Expect(got.Reason).To(ContainSubstring(c.want))
			g.Expect(got.Outcome).To(Equal(cmp.Or(c.outcome, suite.Failed)))
			g.Expect(got.JourneySteps).To(HaveLen(5), got.Reason)
			for i, step := range got.JourneySteps {
				want := journey.Held
				switch {
				case i == c.broken && !c.unprovided:
					want = journey.Broke
				case i >= c.broken:
					want = journey.NotReached
				}
				g.Expect(step.Outcome).To(Equal(want), "%s: %s", step.Text, got.Reason)
			}
		})
	}
}

func (u upgraded) run() suiterun.Case {
	return suiterun.Case{
		Cluster: fakecluster.Options{Nodes: 2, GPUs: 2, NIC: "nic.example.com", Mistakes: u.mistakes},
		Change: func(ctx context.Context, c *suite.Options) context.Context {
			all := journeys.All()
			s := all[slices.IndexFunc(all, func(s suite.Spec) bool { return s.ID == "upgrade-under-workloads" })]
			j, steps := *s.Journey, s.Journey.Steps
			j.Steps = func() []journey.Step { return withoutSpecs(steps()) }
			s.Journey = &j
			c.Specs, c.State = []suite.Spec{s}, stateOf(j.InitialCluster)
			changer := suiterun.Changer{Client: c.Client, Of: c.State}
			if u.unprovided {
				changer.Changes = func(context.Context, skew.Want) error {
					return fmt.Errorf("upgrade: %w", &skew.Unprovided{Err: errors.New("there is no room")})
				}
			}
			if u.losesRules {
				changer.Changes = func(ctx context.Context, _ skew.Want) error { return deleteRules(ctx, c.Client) }
			}
			c.Changer = changer
			target := c.Target
			c.DetectTarget = func(context.Context) (env.Target, error) { return target, nil }
			return ctx
		},
	}
}

// withoutSpecs returns the steps without that which runs specs. They have their own tests.
func withoutSpecs(steps []journey.Step) []journey.Step {
	return slices.DeleteFunc(steps, func(s journey.Step) bool {
		return strings.HasPrefix(s.Text, "the controller manager and the scheduler ")
	})
}

// stateOf returns a state with one component. TestInitialClustersAreValid finds errors.
func stateOf(start journey.InitialCluster) skew.State {
	release, err := clusters.FindRelease(start.Release)
	if err != nil {
		panic(err)
	}
	set, err := gates.Parse(start.Gates, release)
	if err != nil {
		panic(err)
	}
	return skew.State{{Instance: skew.Instance{Component: skew.APIServer}, Release: release, Gates: set}}
}

func deleteRules(ctx context.Context, client kubernetes.Interface) error {
	rules, err := taintrules.List(ctx, client, metav1.ListOptions{})
	for i := 0; err == nil && i < len(rules.Items); i++ {
		err = taintrules.Delete(ctx, client, rules.Items[i].Name, metav1.DeleteOptions{})
	}
	return err
}
