package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var affinityUnknownUntilAllAreReleased = suite.Spec{
	ID: "affinity-unknown-until-all-are-released",
	Sentence: "When the claim is released that stated nothing, or something else than the others, the device still fits nobody until those are released, too, " +
		"that are left.",
	Profile:      affinity,
	Features:     sharingNeeds,
	Judges:       suite.JudgesScheduler,
	Needs:        []suite.Need{suite.NeedsStage},
	Requirements: []string{"5981-unknown-until-all-released"},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, shared(nil, "nic", "torn"))
		for name, config := range map[string][]stated{"silent": nil, "stating": {inSubnet("a")}} {
			e.StartClaim(ctx, name, claiming(called(stage, "nic"), config...))
			e.Scheduled(ctx, name)
		}
		for name, value := range map[string]string{"other": "b", "left": "a"} {
			e.StartClaim(ctx, name, claiming(called(stage, "torn"), inSubnet(value)))
			e.Scheduled(ctx, name)
		}
		republish(ctx, e, stage, shared([]string{subnet}, "nic", "torn"))
		e.StartClaim(ctx, "same", claiming(called(stage, "nic"), inSubnet("a")))
		e.StartClaim(ctx, "either", claiming(called(stage, "torn"), inSubnet("a")))
		e.EachRefused(ctx, map[string]string{"same": "a claim on the device states nothing", "either": "claims on the device state different values"})

		e.Removed(ctx, "silent")
		e.Removed(ctx, "other")
		e.StartClaim(ctx, "late", claiming(called(stage, "nic"), inSubnet("a")))
		const remains = "the device was unknown, and a claim that was on it then has not been released"
		e.EachRefused(ctx, map[string]string{"same": remains, "late": remains, "either": remains})

		e.Removed(ctx, "stating")
		e.Removed(ctx, "left")
		e.AllScheduled(ctx, "same", "late", "either")
	},
}
