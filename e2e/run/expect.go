// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"fmt"
	"slices"

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
	var tasks []progress.ExpectedTask
	if k.NodeImage == "" {
		var err error
		if tasks, err = nodeimage.Expected(ctx, nodeimage.Options{Engine: k.engine, Release: k.release}); err != nil {
			return err
		}
	}
	goals := []progress.Goal{{What: "the first spec", Tasks: append(tasks, progress.ExpectedTask{Name: "cluster"})}}
	if specs := k.expectedSpecs(); len(specs) > 0 {
		goals = append(goals, progress.Goal{What: "the verdict", Tasks: specs})
	}
	k.Progress.Expect(goals...)
	return nil
}

// expectedSpecs returns the tasks of running the selected specs, in parallel
// and one at a time. How long journeys take is not known.
func (r *runner) expectedSpecs() []progress.ExpectedTask {
	var independent []suite.Spec
	for _, s := range r.selected {
		if s.Journey != nil {
			return nil
		}
		if canRunInParallel(fakeSubject(), s) || usesClassicDriver(s) {
			independent = append(independent, s)
		}
	}
	parallel := len(independent)
	if len(r.divide(fakeSubject(), independent, 0)) < 2 {
		parallel = 0
	}
	return specTasks(parallel, len(r.selected)-parallel)
}

// expectVerdict reports the estimated time until the verdict when it is known which
// specs can run, and which of them run in parallel. How long journeys take is not
// known.
func (r *runner) expectVerdict(runnable []suite.Spec, shares []share) {
	if slices.ContainsFunc(runnable, func(s suite.Spec) bool { return s.Journey != nil }) {
		return
	}
	alone := len(runnable)
	if len(shares) > 1 {
		alone = len(without(runnable, shares))
	}
	if tasks := specTasks(len(runnable)-alone, alone); len(tasks) > 0 {
		r.Progress.Expect(progress.Goal{What: "the verdict", Tasks: tasks})
	}
}

// specTasks returns the tasks of running specs, without those of no spec.
func specTasks(parallel, alone int) []progress.ExpectedTask {
	var tasks []progress.ExpectedTask
	for _, t := range []progress.ExpectedTask{{Name: "spec", Times: parallel}, {Name: "spec alone", Times: alone}} {
		if t.Times > 0 {
			tasks = append(tasks, t)
		}
	}
	return tasks
}
