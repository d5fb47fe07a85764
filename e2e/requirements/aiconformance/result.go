// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package aiconformance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/requirements"
	"github.com/draconform/draconform/e2e/suite"
)

// Result is the evidence of a run for an item.
type Result struct {
	Item
	Level requirements.Level
	// Outcome is proved, failed or not-run.
	Outcome requirements.Outcome
	// Reason states which of several strategies are proved, which specs failed,
	// or why nothing is proved.
	Reason string
}

// Evaluate returns the evidence for the items of a release such as v1.37.1 from
// the outcomes of a run's specs by their ids. It returns nothing if the release
// is unknown, or if no spec of any item passed or failed.
func Evaluate(all []Item, release string, outcomes map[string]suite.Outcome) []Result {
	var results []Result
	ran := false
	for _, item := range all {
		level, ok := item.LevelIn(release)
		if !ok {
			continue
		}
		r := Result{Item: item, Level: level}
		r.Outcome, r.Reason = item.evaluate(outcomes)
		results = append(results, r)
		ran = ran || slices.ContainsFunc(item.Specs(), func(id string) bool { return outcomes[id] == suite.Passed || outcomes[id] == suite.Failed })
	}
	if !ran {
		return nil
	}
	return results
}

func (i Item) evaluate(outcomes map[string]suite.Outcome) (requirements.Outcome, string) {
	var proved, failed, notRun []string
	for _, p := range i.Proofs {
		complete := true
		for _, id := range p.Specs {
			switch outcomes[id] {
			case suite.Passed:
				continue
			case suite.Failed:
				failed = append(failed, id)
			default:
				notRun = append(notRun, fmt.Sprintf("%s is %s", id, cmp.Or(string(outcomes[id]), "not part of the run")))
			}
			complete = false
		}
		if complete {
			proved = append(proved, p.Strategy)
		}
	}
	switch {
	case len(failed) > 0:
		return requirements.Failed, strings.Join(failed, ", ")
	case i.Gap != "":
		return requirements.NotRun, i.Gap
	case len(proved) == 0:
		return requirements.NotRun, strings.Join(notRun, "; ")
	case len(i.Proofs) > 1:
		return requirements.Proved, "by " + strings.Join(proved, ", ")
	}
	return requirements.Proved, ""
}
