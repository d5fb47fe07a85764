package run

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/clusters/nodeimage"
	"github.com/draconform/draconform/clusters/progress"
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
	var parts []progress.ExpectedTask
	if k.NodeImage == "" {
		if parts, err = nodeimage.Expected(ctx, nodeimage.Options{Engine: k.engine, Release: k.release}); err != nil {
			return err
		}
	}
	goals := []progress.Goal{{What: "the first spec", Tasks: append(parts, progress.ExpectedTask{Name: "cluster"})}}
	if judged := k.expectedSpecs(); len(judged) > 0 {
		goals = append(goals, progress.Goal{What: "the verdict", Tasks: judged})
	}
	k.Progress.Expect(goals...)
	return nil
}

// expectedSpecs returns the tasks of running the selected specs, in parallel and
// one at a time. How long journeys take is not known.
func (r *runner) expectedSpecs() []progress.ExpectedTask {
	parallel := 0
	for _, s := range r.selected {
		if s.Journey != nil {
			return nil
		}
		if canRunInParallel(s) {
			parallel++
		}
	}
	if r.Worker == nil || min(r.Parallel, parallel) < 2 {
		parallel = 0
	}
	var parts []progress.ExpectedTask
	for _, p := range []progress.ExpectedTask{{Name: "spec", Times: parallel}, {Name: "spec alone", Times: len(r.selected) - parallel}} {
		if p.Times > 0 {
			parts = append(parts, p)
		}
	}
	return parts
}
