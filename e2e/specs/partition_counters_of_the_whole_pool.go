package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var partitionCountersOfTheWholePool = suite.Spec{
	ID:       "partition-counters-of-the-whole-pool",
	Sentence: "A device consumes counters of counter sets in any ResourceSlice of its pool, and of two counter sets if it lists two.",
	Profile:  partitioning,
	Features: stagedPartitionsNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    stagedPartitionsOn,
	Since:    "1.35",
	Requirements: []string{
		"4815-counters-of-the-pool",
		"4815-two-counter-sets-of-a-device",
		"4815-refused-without-counters",
		"4815-counters-across-claims",
		"4815-release-returns-counters",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		poolsFrom("two-counter-sets").publish(ctx, stage, stage.Nodes[0])

		for _, device := range []string{"left", "right"} {
			e.Start(ctx, device, called(stage, device))
			e.Scheduled(ctx, device)
			e.Start(ctx, "both", called(stage, "both-a"))
			e.Refused(ctx, "both", "it needs both counter sets, and device "+device+" uses up one of them")
			e.Removed(ctx, "both")
			e.Removed(ctx, device)
		}

		e.Start(ctx, "both-a", called(stage, "both-a"))
		e.Start(ctx, "both-b", called(stage, "both-b"))
		e.AllScheduled(ctx, "both-a", "both-b")
		e.Start(ctx, "left", called(stage, "left"))
		e.Start(ctx, "right", called(stage, "right"))
		e.AllRefused(ctx, "devices that consume from two counter sets use up both", "left", "right")
		e.Removed(ctx, "both-a")
		e.Removed(ctx, "both-b")
		e.AllScheduled(ctx, "left", "right")
	},
}
