// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/journey"
)

// running returns an instance of a component in a release.
func running(t *testing.T, component skew.Component, node, release string) skew.Running {
	t.Helper()
	r, err := clusters.FindRelease(release)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return skew.Running{Instance: skew.Instance{Component: component, Node: node}, Release: r}
}

func TestJourneyStepAttempted(t *testing.T) {
	g := NewWithT(t)
	state := skew.State{
		running(t, skew.APIServer, "", "1.37"), running(t, skew.Scheduler, "", "1.36"),
		running(t, skew.Kubelet, "a", "1.37"), running(t, skew.Kubelet, "b", "1.36"), running(t, skew.Kubelet, "c", "1.36"),
	}
	kubelets := skew.Want{Release: running(t, skew.Kubelet, "", "1.37").Release, Components: []skew.Component{skew.Kubelet}}
	all := kubelets
	all.Components = nil
	gates := skew.Want{Gates: "alpha"}
	for name, test := range map[string]struct {
		failed *skew.Want
		want   []report.Instances
	}{
		"no change":         {nil, nil},
		"of gates":          {&gates, nil},
		"of kubelets":       {&kubelets, []report.Instances{{Component: skew.Kubelet, Release: "1.37", Count: 2}}},
		"of all components": {&all, []report.Instances{{Component: skew.Scheduler, Release: "1.37", Count: 1}, {Component: skew.Kubelet, Release: "1.37", Count: 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			specs := report.Specs([]suite.Result{{
				Spec: suite.Spec{ID: "up", Journey: &journey.Journey{}}, Outcome: suite.Failed,
				JourneySteps: []journey.StepResult{{Text: "up", Outcome: journey.Broke, State: state, Failed: test.failed}},
			}}, time.Now())
			NewWithT(t).Expect(specs[0].Journey.Steps[0].Attempted).To(Equal(test.want))
		})
	}
	g.Expect(state[3].Release.Minor).To(Equal("1.36"), "the state is not changed")
}
