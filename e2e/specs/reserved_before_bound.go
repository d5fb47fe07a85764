package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var reservedBeforeBound = suite.Spec{
	ID:           "reserved-before-bound",
	Sentence:     "A pod is not bound to a node before its claim is allocated and reserved for it.",
	Profile:      driver,
	Features:     []features.Feature{features.Core},
	Judges:       suite.JudgesScheduler,
	Needs:        []suite.Need{suite.NeedsStage},
	Requirements: []string{"4381-reserved-before-bound"},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, offers("refused", "stored"))
		e.NeverBound(ctx, "refused", suite.Devices(called(stage, "refused")))
		e.StaysUnbound(ctx, "refused", "its claim is not reserved for it")
		e.Start(ctx, "stored", called(stage, "stored"))
		e.Scheduled(ctx, "stored")
	},
}
