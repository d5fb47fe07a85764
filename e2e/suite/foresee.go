package suite

// Foresee returns for each selected spec the outcome that is certain without
// running it, and why. It has none if the spec can run.
func Foresee(specs []Spec, selection Selection, there Situation) ([]Result, error) {
	chosen, err := selection.Choose(specs)
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
