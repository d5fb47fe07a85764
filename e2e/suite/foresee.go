package suite

// Foresee returns a result for each selected spec without running it. The
// outcome and its reason are set if they are known in advance. They are empty
// if the spec can run.
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
