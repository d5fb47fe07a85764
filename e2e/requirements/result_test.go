package requirements_test

import (
	"encoding/json"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/requirements"
	"github.com/draconform/draconform/e2e/suite"
)

func TestEvaluate(t *testing.T) {
	for name, test := range map[string]struct {
		outcomes map[string]suite.Outcome
		want     requirements.Outcome
		reason   string
	}{
		"both passed":              {map[string]suite.Outcome{"one": suite.Passed, "two": suite.Passed}, requirements.Proved, ""},
		"one passed, one left out": {map[string]suite.Outcome{"one": suite.Skipped, "two": suite.Passed}, requirements.Proved, ""},
		"one passed, one unknown":  {map[string]suite.Outcome{"one": suite.Passed}, requirements.Proved, ""},
		"one passed, one failed":   {map[string]suite.Outcome{"one": suite.Passed, "two": suite.Failed}, requirements.Failed, "failed: two"},
		"one failed, one left out": {map[string]suite.Outcome{"one": suite.Failed, "two": suite.Skipped}, requirements.Failed, "failed: one"},
		"both failed":              {map[string]suite.Outcome{"one": suite.Failed, "two": suite.Failed}, requirements.Failed, "failed: one, two"},
		"no spec could run":        {map[string]suite.Outcome{"one": suite.NotSupported, "two": suite.NotApplicable}, requirements.NotRun, "one is not-supported; two is not-applicable"},
		"no feature for any spec":  {map[string]suite.Outcome{"one": suite.NotSupported, "two": suite.NotSupported}, requirements.NotSupported, "one is not-supported; two is not-supported"},
		"no spec in the run":       {map[string]suite.Outcome{"three": suite.Passed}, requirements.NotRun, "one was not part of the run; two was not part of the run"},
	} {
		t.Run(name, func(t *testing.T) {
			r := requirements.Requirement{ID: "4815-r", From: "1.35", Specs: []string{"one", "two"}}
			got := requirements.Evaluate([]requirements.Requirement{r}, requirements.Cluster{Release: "v1.37.1"}, test.outcomes)
			NewWithT(t).Expect(got).To(Equal([]requirements.Result{{Requirement: r, Outcome: test.want, Reason: test.reason}}))
		})
	}
}

// A requirement that cannot be observed in the cluster is neither proved nor
// failed, regardless of the outcomes of specs.
func TestEvaluateClusters(t *testing.T) {
	with := map[string]bool{"DRAConsumableCapacity": true, "DRAAdminAccess": false}
	change := func(gate string, on bool) map[string]bool {
		gates := map[string]bool{"DRAConsumableCapacity": true, "DRAAdminAccess": false}
		gates[gate] = on
		return gates
	}
	for name, test := range map[string]struct {
		cluster requirements.Cluster
		want    requirements.Outcome // The outcome if the specs passed; empty if the specs decide.
		reason  string
	}{
		"observable":                    {requirements.Cluster{Release: "1.35", Gates: with, Scheduler: "draconform"}, "", ""},
		"a release that is too old":     {requirements.Cluster{Release: "v1.34.4", Gates: with, Scheduler: "draconform"}, requirements.NotSupported, "it cannot be observed in release v1.34.4, only in 1.35-1.36"},
		"a release that is too new":     {requirements.Cluster{Release: "v1.37.1", Gates: with, Scheduler: "draconform"}, requirements.NotSupported, "it cannot be observed in release v1.37.1, only in 1.35-1.36"},
		"unknown release":               {requirements.Cluster{Release: "?", Gates: with, Scheduler: "draconform"}, requirements.NotRun, "the release of the cluster is unknown"},
		"a run without a cluster":       {requirements.Cluster{}, requirements.NotRun, "the release of the cluster is unknown"},
		"a gate is off":                 {requirements.Cluster{Release: "1.35", Gates: change("DRAConsumableCapacity", false), Scheduler: "draconform"}, requirements.NotSupported, "the feature gate DRAConsumableCapacity is disabled"},
		"a gate that must be off is on": {requirements.Cluster{Release: "1.35", Gates: change("DRAAdminAccess", true), Scheduler: "draconform"}, requirements.NotSupported, "the feature gate DRAAdminAccess is enabled"},
		"unknown gates":                 {requirements.Cluster{Release: "1.35", Scheduler: "draconform"}, "", ""},
		"another scheduler":             {requirements.Cluster{Release: "1.35", Gates: with, Scheduler: "kube-scheduler"}, requirements.NotSupported, "it can only be observed with scheduler draconform, the cluster has kube-scheduler"},
		"unknown scheduler":             {requirements.Cluster{Release: "1.35", Gates: with}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r := requirements.Requirement{
				ID: "5981-r", From: "1.35", Until: "1.36", Gates: []string{"DRAConsumableCapacity", "DRAAdminAccess=false"}, Scheduler: "draconform", Specs: []string{"one"},
			}
			for outcome, plain := range map[suite.Outcome]requirements.Result{
				suite.Passed: {Requirement: r, Outcome: requirements.Proved},
				suite.Failed: {Requirement: r, Outcome: requirements.Failed, Reason: "failed: one"},
			} {
				want := plain
				if test.want != "" {
					want.Outcome, want.Reason = test.want, test.reason
				}
				got := requirements.Evaluate([]requirements.Requirement{r}, test.cluster, map[string]suite.Outcome{"one": outcome})
				g.Expect(got).To(Equal([]requirements.Result{want}), string(outcome))
			}
		})
	}
}

// A requirement without a scheduler can be observed with any scheduler.
func TestEvaluateAnyScheduler(t *testing.T) {
	r := requirements.Requirement{ID: "4815-r", From: "1.35", Specs: []string{"one"}}
	for _, scheduler := range []string{"draconform", "kube-scheduler", ""} {
		got := requirements.Evaluate([]requirements.Requirement{r}, requirements.Cluster{Release: "1.36", Scheduler: scheduler}, map[string]suite.Outcome{"one": suite.Passed})
		NewWithT(t).Expect(got[0].Outcome).To(Equal(requirements.Proved), scheduler)
	}
}

// A failed spec does not affect requirements that it does not prove.
func TestEvaluateUnproved(t *testing.T) {
	g := NewWithT(t)
	all := []requirements.Requirement{
		{ID: "4815-b", From: "1.33", Unproved: &requirements.Gap{Kind: requirements.Pending, Reason: "No spec checks it."}},
		{ID: "4815-a", From: "1.33", Specs: []string{"two"}},
		{ID: "5981-c", Unproved: &requirements.Gap{Kind: requirements.NotReleased, Reason: "No release has it."}},
	}
	got := requirements.Evaluate(all, requirements.Cluster{Release: "1.37"}, map[string]suite.Outcome{"one": suite.Failed, "two": suite.Passed})
	g.Expect(got).To(Equal([]requirements.Result{
		{Requirement: all[0], Outcome: requirements.Unproved, Reason: "pending: No spec checks it."},
		{Requirement: all[1], Outcome: requirements.Proved},
		{Requirement: all[2], Outcome: requirements.Unproved, Reason: "release: No release has it."},
	}), "in the order of the requirements")
}

// Reports contain requirements and their outcomes in one object.
func TestResultJSON(t *testing.T) {
	g := NewWithT(t)
	content, err := json.Marshal(requirements.Result{
		Requirement: requirements.Requirement{ID: "4815-a", Statement: "s", Level: requirements.Must, Source: "Proposal", From: "1.33", Specs: []string{"one"}},
		Outcome:     requirements.Failed, Reason: "failed: one",
	})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(content).To(MatchJSON(`{"id": "4815-a", "statement": "s", "level": "must", "source": "Proposal", "from": "1.33", "specs": ["one"], "outcome": "failed", "reason": "failed: one"}`))
}
