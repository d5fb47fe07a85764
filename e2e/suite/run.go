package suite

import (
	"context"
	"errors"
	"maps"

	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/namespaces"
)

// Run runs the selected specs, one after the other, and returns the results of
// all specs in their order. It can be called only once in a process, because
// Ginkgo's specs are global. The error concerns the run itself; failed specs
// are no error. If the run was interrupted, Run returns results in addition to
// the error.
func Run(ctx context.Context, c Options) ([]Result, error) {
	if err := Validate(c.Specs); err != nil {
		return nil, err
	}
	chosen, err := c.Selection.selected(c.Specs)
	if err != nil {
		return nil, err
	}
	c.Process = max(c.Process, 1)
	r := &runner{options: c, results: maps.Clone(c.Elsewhere), executions: map[string]*journey.Execution{}}
	if r.results == nil {
		r.results = map[string]Result{}
	}
	for _, s := range c.Specs {
		if _, ok := c.Elsewhere[s.ID]; ok {
			continue
		}
		outcome, why := s.unfit(c.Target)
		switch {
		case c.Ended() && outcome == "" && chosen[s.ID]:
			outcome, why = Skipped, "not run, because an earlier spec failed"
		case !chosen[s.ID]:
			outcome, why = Skipped, "left out by the selection "+c.Selection.String()
		case outcome == "":
			r.total++
		}
		r.results[s.ID] = Result{Spec: s, Outcome: outcome, Reason: why}
	}
	err = errors.Join(r.run(ctx), namespaces.WaitForDeleted(context.WithoutCancel(ctx), c.Client, r.namespaces, c.Timeouts.Deletion))
	var all []Result
	for _, s := range c.Specs {
		all = append(all, r.results[s.ID])
	}
	return all, err
}

// runner is one run.
type runner struct {
	options Options
	results map[string]Result
	n       int // number of started specs
	total   int
	err     error
	// namespaces are the deleted namespaces of specs. The run waits for their
	// removal at the end.
	namespaces []string
	// executions run the journeys, by the ID of their spec.
	executions map[string]*journey.Execution
	// signalled is the error if Ginkgo, which handles signals itself, ended the
	// run.
	signalled error
}
