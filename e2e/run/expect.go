package run

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/clusters/nodeimage"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/suite"
)

// specCount is a number of specs. It is used to estimate how long they take.
type specCount int

// Count implements [progress.Counted].
func (n specCount) Count() int { return int(n) }

func (n specCount) String() string {
	if n == 1 {
		return "1 spec"
	}
	return fmt.Sprintf("%d specs", int(n))
}

// expect reports the estimated time until the first spec starts on a kind
// cluster and until the verdict.
func (k *kindCluster) expect(ctx context.Context) error {
	chosen, err := k.Selection.Select(k.specs)
	if err != nil {
		return err
	}
	var parts []progress.ExpectedTask
	if k.NodeImage == "" {
		if parts, err = nodeimage.Expected(ctx, nodeimage.Options{Engine: k.engine, Release: k.release}); err != nil {
			return err
		}
	}
	goals := []progress.Goal{{What: "the first spec", Tasks: append(parts, progress.ExpectedTask{Name: "cluster"})}}
	if judged := k.judged(chosen); len(judged) > 0 {
		goals = append(goals, progress.Goal{What: "the verdict", Tasks: judged})
	}
	k.Progress.Expect(goals...)
	return nil
}

// judged returns the parts of running specs, in parallel and by themselves. How
// long journeys take is not known.
func (r *runner) judged(chosen []suite.Spec) []progress.ExpectedTask {
	parallel := 0
	for _, s := range chosen {
		if s.Journey != nil {
			return nil
		}
		if together(s) {
			parallel++
		}
	}
	if r.Part == nil || min(r.Parallel, parallel) < 2 {
		parallel = 0
	}
	var parts []progress.ExpectedTask
	for _, p := range []progress.ExpectedTask{{Name: "spec", Times: parallel}, {Name: "spec alone", Times: len(chosen) - parallel}} {
		if p.Times > 0 {
			parts = append(parts, p)
		}
	}
	return parts
}
