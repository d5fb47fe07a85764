package specs

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/suite"
)

var affinityLockedDevicePreferred = suite.Spec{
	ID:       "affinity-locked-device-preferred",
	Sentence: "Of otherwise equal devices, on one node or on several, the one is allocated that is locked to the claim's values.",
	Profile:  affinity,
	Features: sharingNeeds,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5981-locked-preferred",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 3)
		for i, node := range stage.Nodes {
			at := func(which string) string { return fmt.Sprintf("%s-%d", which, i) }
			// The locked device is neither the first nor the last. Schedulers
			// may prefer those for another reason.
			stage.Publish(ctx, suite.Pool{Node: node}, shared([]string{subnet}, at("first"), at("middle"), at("last")))
		}
		e.StartClaim(ctx, "locks", claiming(called(stage, "middle-1"), inSubnet("a")))
		isHad(ctx, e, "middle-1", "locks", "it asks for that one")

		for _, name := range []string{"joins", "joins-too"} {
			e.StartClaim(ctx, name, claiming(anyOf(stage), inSubnet("a")))
			isHad(ctx, e, "middle-1", name, "it is locked to the claim's value and the others are clean")
		}
	},
}
