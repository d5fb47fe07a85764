package suite

import (
	"github.com/draconform/draconform/e2e/suite/env"
)

// DryRun returns a result for each selected spec without running it. The
// outcome and its reason are set if they are known in advance. They are empty
// if the spec can run.
func DryRun(specs []Spec, selection Selection, there env.Target) ([]Result, error) {
	chosen, err := selection.Select(specs)
	if err != nil {
		return nil, err
	}
	results := make([]Result, 0, len(chosen))
	for _, s := range chosen {
		outcome, why := s.unfit(there)
		results = append(results, Result{Spec: s, Outcome: outcome, Reason: why})
	}
	return results, nil
}
