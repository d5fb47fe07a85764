package evidence

import (
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/requirements"
	"github.com/draconform/draconform/e2e/suite"
)

// Judged returns what a run says about the statements of the KEPs that specs can prove, in the order of the KEPs. Which
// others there are, and why no spec proves them, is the same for every run: requirements.All tells.
func Judged(r report.Report) []RequirementOutcome {
	cluster := requirements.Cluster{Release: r.Cluster.Release(), Gates: r.Cluster.Gates, Scheduler: r.Scheduler()}
	outcomes := make(map[string]suite.Outcome, len(r.Specs))
	for _, s := range r.Specs {
		outcomes[s.ID] = s.Outcome
		cluster.Several = cluster.Several || s.Journey != nil
	}
	var judged []RequirementOutcome
	for _, j := range requirements.Judge(requirements.All(), cluster, outcomes) {
		if j.Outcome != requirements.Unproved {
			judged = append(judged, RequirementOutcome{ID: j.ID, Statement: j.Statement, Outcome: string(j.Outcome), Reason: j.Reason, Specs: j.Specs})
		}
	}
	return judged
}

// said is the outcome with its reason in short; that of a failure names only
// specs, which are told beside it.
func (r RequirementOutcome) said() string {
	if r.Reason == "" || r.Outcome == string(requirements.Failed) {
		return r.Outcome
	}
	return r.Outcome + ": " + short(r.Reason)
}
