package suite

import (
	"github.com/draconform/draconform/e2e/suite/env"
)

// DryRun returns a result for each of the specs without running it. The outcome
// and its reason are set if they are known in advance. They are empty if the
// spec can run against the target.
func DryRun(specs []Spec, target env.Target) []Result {
	results := make([]Result, 0, len(specs))
	for _, s := range specs {
		outcome, why := s.precludedOutcome(target)
		results = append(results, Result{Spec: s, Outcome: outcome, Reason: why})
	}
	return results
}
