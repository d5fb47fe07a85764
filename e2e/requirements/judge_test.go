package requirements_test

import (
	"encoding/json"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/requirements"
	"github.com/draconform/draconform/e2e/suite"
)

func TestJudge(t *testing.T) {
	for name, test := range map[string]struct {
		release  string
		outcomes map[string]suite.Outcome
		want     requirements.Outcome
		reason   string
	}{
		"both passed":                {outcomes: map[string]suite.Outcome{"one": suite.Passed, "two": suite.Passed}, want: requirements.Proved},
		"one passed, one left out":   {outcomes: map[string]suite.Outcome{"one": suite.Skipped, "two": suite.Passed}, want: requirements.Proved},
		"one passed, one unknown":    {outcomes: map[string]suite.Outcome{"one": suite.Passed}, want: requirements.Proved},
		"one passed, one failed":     {outcomes: map[string]suite.Outcome{"one": suite.Passed, "two": suite.Failed}, want: requirements.Failed, reason: "failed: two"},
		"one failed, one left out":   {outcomes: map[string]suite.Outcome{"one": suite.Failed, "two": suite.Skipped}, want: requirements.Failed, reason: "failed: one"},
		"both failed":                {outcomes: map[string]suite.Outcome{"one": suite.Failed, "two": suite.Failed}, want: requirements.Failed, reason: "failed: one, two"},
		"no spec could judge":        {outcomes: map[string]suite.Outcome{"one": suite.NotSupported, "two": suite.NotApplicable}, want: requirements.NotRun, reason: "one is not-supported; two is not-applicable"},
		"no spec was there":          {outcomes: map[string]suite.Outcome{"three": suite.Passed}, want: requirements.NotRun, reason: "one was not part of the run; two was not part of the run"},
		"the release is too old":     {release: "v1.34.4", outcomes: map[string]suite.Outcome{"one": suite.Passed}, want: requirements.NotRun, reason: `release "v1.34.4" cannot show it, only 1.35+`},
		"the release is not a known": {release: "?", outcomes: map[string]suite.Outcome{"one": suite.Passed}, want: requirements.NotRun, reason: `release "?" cannot show it, only 1.35+`},
	} {
		t.Run(name, func(t *testing.T) {
			if test.release == "" {
				test.release = "v1.37.1"
			}
			r := requirements.Requirement{ID: "4815-r", From: "1.35", Specs: []string{"one", "two"}}
			got := requirements.Judge([]requirements.Requirement{r}, test.release, test.outcomes)
			NewWithT(t).Expect(got).To(Equal([]requirements.Judgement{{Requirement: r, Outcome: test.want, Reason: test.reason}}))
		})
	}
}

// A spec that failed says nothing of what it does not prove.
func TestJudgeOfWhatIsUnproved(t *testing.T) {
	g := NewWithT(t)
	all := []requirements.Requirement{
		{ID: "4815-b", From: "1.33", Unproved: &requirements.Gap{Kind: requirements.Pending, Reason: "No spec looks."}},
		{ID: "4815-a", From: "1.33", Specs: []string{"two"}},
		{ID: "5981-c", Unproved: &requirements.Gap{Kind: requirements.NotReleased, Reason: "Nobody has it."}},
	}
	got := requirements.Judge(all, "1.37", map[string]suite.Outcome{"one": suite.Failed, "two": suite.Passed})
	g.Expect(got).To(Equal([]requirements.Judgement{
		{Requirement: all[0], Outcome: requirements.Unproved, Reason: "pending: No spec looks."},
		{Requirement: all[1], Outcome: requirements.Proved},
		{Requirement: all[2], Outcome: requirements.Unproved, Reason: "release: Nobody has it."},
	}), "in the order of the requirements")
}

// Reports have requirements and their outcomes side by side.
func TestJudgementIsOneObject(t *testing.T) {
	g := NewWithT(t)
	content, err := json.Marshal(requirements.Judgement{
		Requirement: requirements.Requirement{ID: "4815-a", Statement: "s", Level: requirements.Must, Source: "Proposal", From: "1.33", Specs: []string{"one"}},
		Outcome:     requirements.Failed, Reason: "failed: one",
	})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(content).To(MatchJSON(`{"id": "4815-a", "statement": "s", "level": "must", "source": "Proposal", "from": "1.33", "specs": ["one"], "outcome": "failed", "reason": "failed: one"}`))
}
