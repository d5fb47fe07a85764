// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"strings"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/internal/page"
	"github.com/draconform/draconform/e2e/requirements"
	"github.com/draconform/draconform/e2e/suite"
)

// provesNothing stands for every outcome of a provisional spec, which neither proves nor
// disproves a requirement. The reason of a requirement says that the spec is provisional.
const provesNothing suite.Outcome = "provisional"

// RequirementOutcomes returns the outcomes of the requirements that specs can
// prove, in the order of the KEPs. The other requirements, and why no spec
// proves them, are the same for every run and are returned by requirements.All.
func RequirementOutcomes(r report.Report) []RequirementOutcome {
	cluster := requirements.Cluster{Release: r.Cluster.Release(), Gates: r.Cluster.Gates, Scheduler: r.Scheduler()}
	outcomes := make(map[string]suite.Outcome, len(r.Specs))
	for _, s := range r.Specs {
		if s.Provisional() {
			outcomes[s.ID] = provesNothing
			continue
		}
		outcomes[s.ID] = s.Outcome
		cluster.Several = cluster.Several || s.Journey != nil
	}
	var evaluated []RequirementOutcome
	for _, j := range requirements.Evaluate(requirements.All(), cluster, outcomes) {
		if j.Outcome != requirements.Unproved {
			evaluated = append(evaluated, RequirementOutcome{ID: j.ID, Statement: j.Statement, Outcome: string(j.Outcome), Reason: j.Reason, Specs: j.Specs})
		}
	}
	return evaluated
}

// tried reports whether a spec of the requirement passed or failed, except provisional ones.
func (r RequirementOutcome) tried() bool {
	return r.Outcome == string(requirements.Proved) || r.Outcome == string(requirements.Failed)
}

// Why returns the reason, unless it only names the specs, which are listed next to it.
func (r RequirementOutcome) Why() string {
	for _, id := range r.Specs {
		if strings.HasPrefix(r.Reason, id+" ") || r.Outcome == string(requirements.Failed) {
			return ""
		}
	}
	return r.Reason
}

// text returns the outcome with a short reason. The reason of a failure only
// names specs, which are listed next to it, and is left out.
func (r RequirementOutcome) text() string {
	if r.Reason == "" || r.Outcome == string(requirements.Failed) {
		return r.Outcome
	}
	return r.Outcome + ": " + page.Short(r.Reason)
}
