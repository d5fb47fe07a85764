package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var affinityUnknownUntilAllAreReleased = suite.Spec{
	ID:           "affinity-unknown-until-all-are-released",
	Sentence:     "After the claim without values is deallocated, the device fits no claim until the remaining claims are deallocated too.",
	Profile:      affinity,
	Features:     sharingNeeds,
	Judges:       suite.JudgesScheduler,
	Needs:        []suite.Need{suite.NeedsStage},
	Requirements: []string{"5981-unknown-until-all-released"},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, shared(nil, "nic"))
		for name, config := range map[string][]stated{"silent": nil, "stating": {inSubnet("a")}} {
			e.StartClaim(ctx, name, claiming(called(stage, "nic"), config...))
			e.Scheduled(ctx, name)
		}
		republish(ctx, e, stage, shared([]string{subnet}, "nic"))

		e.StartClaim(ctx, "same", claiming(called(stage, "nic"), inSubnet("a")))
		e.Refused(ctx, "same", "a claim on the device states nothing")

		e.Removed(ctx, "silent")
		e.StartClaim(ctx, "late", claiming(called(stage, "nic"), inSubnet("a")))
		e.AllRefused(ctx, "the device was unknown, and a claim that was on it then has not been released", "same", "late")

		e.Removed(ctx, "stating")
		e.AllScheduled(ctx, "same", "late")
	},
}
