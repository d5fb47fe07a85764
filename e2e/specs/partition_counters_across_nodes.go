package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var partitionCountersAcrossNodes = suite.Spec{
	ID:       "partition-counters-across-nodes",
	Sentence: "Devices of one pool on different nodes consume from the same counter set, in whichever ResourceSlice it is.",
	Profile:  partitioning,
	Features: stagedPartitionsNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    stagedPartitionsOn,
	Since:    "1.35",
	Requirements: []string{
		"4815-counters-of-the-pool",
		"4815-refused-without-counters",
		"4815-counters-across-claims",
		"4815-release-returns-counters",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 2)
		slices := poolsFrom("two-nodes").slices("pool", stage.Nodes[0], 1)
		slices[len(slices)-1].NodeName = &stage.Nodes[1]
		stage.PublishSlices(ctx, slices...)

		// The slices of its node alone are not a complete pool.
		e.Start(ctx, "plain", called(stage, "plain"))
		e.Scheduled(ctx, "plain")
		e.Start(ctx, "large", called(stage, "large"))
		e.Scheduled(ctx, "large")
		e.Start(ctx, "small", called(stage, "small"))
		e.Refused(ctx, "small", "a device of another node uses up the counter set of their pool")
		e.Removed(ctx, "large")
		e.Scheduled(ctx, "small")
		e.Start(ctx, "again", called(stage, "large"))
		e.Refused(ctx, "again", "a device of another node has a part of the counter set of their pool")
	},
}
