package evidence

import (
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/requirements"
	"github.com/draconform/draconform/e2e/suite"
)

// Judged returns what a run says about the statements of the KEPs that specs can prove, in the order of the KEPs. Which
// others there are, and why no spec proves them, is the same for every run: requirements.All tells.
func Judged(r report.Report) []RequirementOutcome {
	outcomes := make(map[string]suite.Outcome, len(r.Specs))
	for _, s := range r.Specs {
		outcomes[s.ID] = s.Outcome
	}
	var judged []RequirementOutcome
	for _, j := range requirements.Judge(requirements.All(), r.Cluster.Release(), outcomes) {
		if j.Outcome != requirements.Unproved {
			judged = append(judged, RequirementOutcome{ID: j.ID, Statement: j.Statement, Outcome: string(j.Outcome), Specs: j.Specs})
		}
	}
	return judged
}
