package specs

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/suite"
)

var affinityCapacityFirst = suite.Spec{
	ID:       "affinity-capacity-first",
	Sentence: "A device without enough remaining capacity does not fit a claim, even if it is locked to the claim's values.",
	Profile:  affinity,
	Features: sharingNeeds,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5981-capacity-first",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, shared([]string{subnet}, "full"))
		for i := range slots {
			name := fmt.Sprintf("user-%d", i)
			e.StartClaim(ctx, name, claiming(anyOf(stage), inSubnet("a")))
			e.Scheduled(ctx, name)
		}
		e.StartClaim(ctx, "more", claiming(called(stage, "full"), inSubnet("a")))
		e.Refused(ctx, "more", "all slots of the device are taken")
		e.Removed(ctx, "user-0")
		e.Scheduled(ctx, "more")

		stage.Publish(ctx, suite.Pool{Name: "more", Node: stage.Nodes[0]}, shared([]string{subnet}, "clean"))
		e.StartClaim(ctx, "last", claiming(anyOf(stage), inSubnet("a")))
		isHad(ctx, e, "clean", "last", "all slots of the one with the same value are taken")
	},
}
