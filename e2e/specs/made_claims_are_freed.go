package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var madeClaimsAreFreed = suite.Spec{
	ID:           "made-claims-are-freed",
	Sentence:     "A claim that was created from a template for a pod is deleted with the pod, and its device can be allocated to the next claim.",
	Profile:      driver,
	Features:     []features.Feature{features.Core},
	Judges:       suite.JudgesCluster,
	Needs:        []suite.Need{suite.NeedsStage},
	Requirements: []string{"4381-unused-claims-are-deallocated"},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, offers("only"))
		e.Template(ctx, "template", suite.Devices(called(stage, "only")))
		e.StartFromTemplate(ctx, "first", "template", "")
		e.Scheduled(ctx, "first")
		made := e.MadeClaim(ctx, "first")
		e.StartFromTemplate(ctx, "second", "template", "")
		e.Refused(ctx, "second", "the claim of pod first has the only device")

		e.Ended(ctx, "first")
		e.ClaimGone(ctx, made, "the pod is gone that it was made for")
		e.Scheduled(ctx, "second")
	},
}
