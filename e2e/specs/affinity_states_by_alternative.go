package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var affinityStatesByAlternative = suite.Spec{
	ID:       "affinity-states-by-alternative",
	Sentence: "A subrequest has the values of the entry that names it or its request, and locks its device to these values only.",
	Profile:  affinity,
	Features: append([]features.Feature{features.PrioritizedList}, sharingNeeds...),
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5981-values-of-alternatives",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, shared([]string{subnet}, "fast", "slow"))
		e.StartClaim(ctx, "locks", claiming(called(stage, "fast"), inSubnet("c")))
		e.Scheduled(ctx, "locks")
		either := []suite.Request{list("list", kindOf(stage, "fast"), kindOf(stage, "slow"))}

		e.StartClaim(ctx, "each", claiming(either, inSubnet("a", "list/fast"), inSubnet("b", "list/slow")))
		isScheduledFor(ctx, e, "each", "the fast device is locked to another value than that of the first alternative", "list/slow")
		e.StartClaim(ctx, "joins", claiming(called(stage, "slow"), inSubnet("b")))
		e.Scheduled(ctx, "joins")
		e.StartClaim(ctx, "both", claiming(either, inSubnet("b", "list")))
		isScheduledFor(ctx, e, "both", "the fast device is locked to another value than that of the request", "list/slow")

		e.StartClaim(ctx, "other", claiming(called(stage, "slow"), inSubnet("a")))
		e.StartClaim(ctx, "twice", claiming(either, inSubnet("b", "list"), inSubnet("b", "list/slow")))
		e.EachRefused(ctx, map[string]string{
			"other": "the device is locked to the value of the alternative that has it",
			"twice": "the fast device is locked to another value, and one entry is for the slow one and one for its request",
		})
	},
}
