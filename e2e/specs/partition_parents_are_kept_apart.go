package specs

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/suite"
)

var partitionParentsAreKeptApart = suite.Spec{
	ID:       "partition-parents-are-kept-apart",
	Sentence: "Partitions that must have the same parent are unschedulable when each of two parents has room for one of them. Every parent has its own counters.",
	Profile:  partitioning,
	Features: stagedPartitionsNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    stagedPartitionsOn,
	Requirements: []string{
		"4815-counter-sets-apart",
		"4815-rest-stays-allocatable",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, a100s(stage.Nodes[0], 2))
		halves := []string{"3g.20gb@0", "3g.20gb@4"}
		half := at(stage, halves...)
		for gpu := range 2 {
			e.Start(ctx, fmt.Sprintf("half-%d", gpu), one(atGPU(stage, gpu, halves...)))
		}
		e.AllScheduled(ctx, "half-0", "half-1")

		e.Start(ctx, "together", each(half, half), oneGPU(stage))
		e.Refused(ctx, "together", "each of two GPUs has room for one of its two partitions, and it demands them of one")
		e.Start(ctx, "apart", each(half, half))
		e.Scheduled(ctx, "apart")

		e.Removed(ctx, "apart")
		e.Removed(ctx, "half-0")
		e.Scheduled(ctx, "together")
	},
}
