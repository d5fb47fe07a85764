package requirements

import (
	"fmt"
	"strings"

	"github.com/draconform/draconform/e2e/suite"
)

// Outcome is what a run says of a requirement.
type Outcome string

// The outcomes.
const (
	// Proved: a spec that proves it passed, and none failed.
	Proved Outcome = "proved"
	// Failed: a spec that proves it failed.
	Failed Outcome = "failed"
	// NotRun: no spec that proves it passed or failed in this run, or the
	// cluster's release cannot show it.
	NotRun Outcome = "not-run"
	// Unproved: there is no such spec.
	Unproved Outcome = "unproved"
)

// Judgement is a requirement with what a run says of it.
type Judgement struct {
	Requirement `json:",inline"`
	Outcome     Outcome `json:"outcome"`
	// Reason is why it is not proved.
	Reason string `json:"reason,omitempty"`
}

// Judge joins requirements with the outcomes of a run's specs by their ids, and
// keeps the order. A spec without an outcome was not part of the run. The
// release is that of the cluster, such as v1.37.1: what it cannot show is not
// proved by specs that pass there.
func Judge(all []Requirement, release string, outcomes map[string]suite.Outcome) []Judgement {
	judged := make([]Judgement, 0, len(all))
	for _, r := range all {
		outcome, reason := r.judge(release, outcomes)
		judged = append(judged, Judgement{r, outcome, reason})
	}
	return judged
}

func (r Requirement) judge(release string, outcomes map[string]suite.Outcome) (Outcome, string) {
	if r.Unproved != nil {
		return Unproved, r.Unproved.String()
	}
	if !r.ObservableIn(release) {
		return NotRun, fmt.Sprintf("release %q cannot show it, only %s", release, r.Releases())
	}
	var failed, idle []string
	for _, spec := range r.Specs {
		switch outcome := outcomes[spec]; outcome {
		case suite.Passed:
		case suite.Failed:
			failed = append(failed, spec)
		case "":
			idle = append(idle, spec+" was not part of the run")
		default:
			idle = append(idle, fmt.Sprintf("%s is %s", spec, outcome))
		}
	}
	switch {
	case len(failed) > 0:
		return Failed, "failed: " + strings.Join(failed, ", ")
	case len(idle) == len(r.Specs):
		return NotRun, strings.Join(idle, "; ")
	}
	return Proved, ""
}
