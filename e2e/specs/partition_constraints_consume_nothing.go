package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var partitionConstraintsConsumeNothing = suite.Spec{
	ID:           "partition-constraints-consume-nothing",
	Sentence:     "Partitions that the scheduler tries and rejects because of a constraint consume no counters for other requests of the claim.",
	Profile:      partitioning,
	Features:     stagedPartitionsNeed,
	Judges:       suite.JudgesScheduler,
	Needs:        stagedPartitionsOn,
	Since:        "1.36", // Before 1.36, the counters of such partitions are lost for the claim.
	Requirements: []string{"4815-constraints-consume-nothing"},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, a100s(stage.Nodes[0], 2))
		half := at(stage, "3g.20gb@0", "3g.20gb@4")
		// Each pair uses up a GPU. The requests of a pair are not consecutive.
		e.Start(ctx, "pairs", each(half, half, half, half), oneGPU(stage, "device-0", "device-2"), oneGPU(stage, "device-1", "device-3"))
		e.Scheduled(ctx, "pairs")
	},
}
