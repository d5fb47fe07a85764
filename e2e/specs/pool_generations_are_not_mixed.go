package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var poolGenerationsAreNotMixed = suite.Spec{
	ID:       "pool-generations-are-not-mixed",
	Sentence: "While a new generation of a pool is incomplete, no device of the pool is allocated, and the older generation does not complete the newer one.",
	Profile:  partitioning,
	Features: stagedPartitionsNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    stagedPartitionsOn,
	Since:    "1.35",
	Requirements: []string{
		"4815-one-generation",
		"4815-complete-pools-only",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		described, other := poolsFrom("three-slices"), poolsFrom("without-its-counters")
		stage := e.Stage(ctx, 1)
		node := stage.Nodes[0]
		publish := func(generation int64, slices ...int) {
			all := described.slices("pool", node, generation)
			for _, i := range slices {
				stage.PublishSlices(ctx, all[i])
			}
		}
		const counters, devices, empty = 0, 1, 2
		publish(1, counters, devices, empty)
		stage.PublishSlices(ctx, other.slices("pool", node, 2)...)
		seen(ctx, e, stage, node, "second-seen")
		e.Start(ctx, "first", called(stage, "half-a"))
		e.Refused(ctx, "first", "the counter set that its device names is in the older generation alone")

		publish(3, devices, empty)
		seen(ctx, e, stage, node, "third-seen")
		e.Refused(ctx, "first", "the newest generation is not complete, and the older ones do not count")
		publish(3, counters)
		e.Scheduled(ctx, "first")

		publish(4, counters, devices, empty)
		seen(ctx, e, stage, node, "fourth-seen")
		e.Start(ctx, "second", called(stage, "half-b"))
		e.Scheduled(ctx, "second")
		e.Start(ctx, "third", called(stage, "half-c"))
		e.Refused(ctx, "third", "claims first and second, of two generations, use up its counters")
	},
}
