package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var affinityFailedBindingUnlocks = suite.Spec{
	ID:       "affinity-failed-binding-unlocks",
	Sentence: "A pod whose binding fails leaves no lock behind, and does not remove locks of other claims.",
	Profile:  affinity,
	Features: sharingNeeds,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5981-failed-binding-unlocks",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, shared([]string{subnet}, "clean", "locked"))
		e.StartClaim(ctx, "locks", claiming(called(stage, "locked"), inSubnet("a")))
		e.Scheduled(ctx, "locks")
		e.NeverBound(ctx, "ghost", claiming([]suite.Request{as("first", called(stage, "clean")), as("second", called(stage, "locked"))}, inSubnet("a")))

		e.StartClaim(ctx, "takes", claiming(called(stage, "clean"), inSubnet("b")))
		e.Scheduled(ctx, "takes")
		e.StartClaim(ctx, "other", claiming(called(stage, "locked"), inSubnet("b")))
		e.Refused(ctx, "other", "the device is locked by the claim that was there before")
		e.StartClaim(ctx, "joins", claiming(called(stage, "locked"), inSubnet("a")))
		e.Scheduled(ctx, "joins")
	},
}
