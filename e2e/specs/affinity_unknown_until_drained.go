package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var affinityUnknownUntilDrained = suite.Spec{
	ID:       "affinity-unknown-until-drained",
	Sentence: "A device in use that starts to declare a key keeps its pods, fits no other claim while one of its claims has no value, and locks like any other device after that.",
	Profile:  affinity,
	Features: sharingNeeds,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5981-affinity-added-in-use",
		"5981-legacy-pods-stay",
		"5981-unknown-keeps-out",
		"5981-nothing-inferred",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, shared(nil, "nic"))
		legacy := map[string][]stated{"silent": nil, "stating": {inSubnet("a")}}
		for name, config := range legacy {
			e.StartClaim(ctx, name, claiming(called(stage, "nic"), config...))
			e.Scheduled(ctx, name)
		}
		republish(ctx, e, stage, shared([]string{subnet}, "nic"))

		e.StartClaim(ctx, "same", claiming(called(stage, "nic"), inSubnet("a")))
		e.StartClaim(ctx, "none", claiming(called(stage, "nic")))
		e.EachRefused(ctx, map[string]string{"same": "a claim on the device states nothing", "none": "it states nothing"})
		for name := range legacy {
			e.Scheduled(ctx, name)
		}
		e.Removed(ctx, "stating")
		e.EachRefused(ctx, map[string]string{"same": "the claim that is left on the device states nothing", "none": "it states nothing"})

		e.Removed(ctx, "silent")
		e.Scheduled(ctx, "same")
		e.StartClaim(ctx, "other", claiming(called(stage, "nic"), inSubnet("b")))
		e.EachRefused(ctx, map[string]string{"other": "the device is locked to the first value that came after", "none": "it states nothing"})
	},
}
