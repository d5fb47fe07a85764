package report_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/change"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/journey"
)

// running returns an instance of a component in a release.
func running(t *testing.T, component change.Component, node, release string) change.Running {
	t.Helper()
	r, err := clusters.FindRelease(release)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return change.Running{Instance: change.Instance{Component: component, Node: node}, Release: r}
}

func TestJourneyStepAttempted(t *testing.T) {
	g := NewWithT(t)
	state := change.State{
		running(t, change.APIServer, "", "1.37"), running(t, change.Scheduler, "", "1.36"),
		running(t, change.Kubelet, "a", "1.37"), running(t, change.Kubelet, "b", "1.36"), running(t, change.Kubelet, "c", "1.36"),
	}
	kubelets := change.Want{Release: running(t, change.Kubelet, "", "1.37").Release, Components: []change.Component{change.Kubelet}}
	all := kubelets
	all.Components = nil
	gates := change.Want{Gates: "alpha"}
	for name, test := range map[string]struct {
		failed *change.Want
		want   []report.Instances
	}{
		"no change":         {nil, nil},
		"of gates":          {&gates, nil},
		"of kubelets":       {&kubelets, []report.Instances{{Component: change.Kubelet, Release: "1.37", Count: 2}}},
		"of all components": {&all, []report.Instances{{Component: change.Scheduler, Release: "1.37", Count: 1}, {Component: change.Kubelet, Release: "1.37", Count: 2}}},
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
