package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var poolNewestGenerationCounts = suite.Spec{
	ID:       "pool-newest-generation-counts",
	Sentence: "In a pool with ResourceSlices of two generations, only devices of the newer generation are allocated.",
	Profile:  partitioning,
	Smoke:    true,
	Features: []features.Feature{features.Core},
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		node := stage.Nodes[0]
		stage.Publish(ctx, suite.Pool{Node: node}, offers("old"))
		stage.Publish(ctx, suite.Pool{Node: node, Generation: 2}, offers("new"))

		e.Start(ctx, "new", called(stage, "new"))
		e.Scheduled(ctx, "new")
		e.Start(ctx, "old", called(stage, "old"))
		e.Refused(ctx, "old", "its device is in an older generation of the pool")
	},
}
