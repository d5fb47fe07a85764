package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var affinityLockOfOnePool = suite.Spec{
	ID:       "affinity-lock-of-one-pool",
	Sentence: "A lock of a device does not lock the device with the same name in the pool of another node.",
	Profile:  affinity,
	Features: sharingNeeds,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5981-lock-of-one-pool",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 2)
		for _, node := range stage.Nodes {
			stage.Publish(ctx, suite.Pool{Node: node}, shared([]string{subnet}, "nic"))
		}
		start := func(name string, node int, value string) {
			e.StartClaimOn(ctx, name, stage.Nodes[node], claiming(called(stage, "nic"), inSubnet(value)))
		}

		start("locks", 0, "a")
		e.Scheduled(ctx, "locks")
		start("elsewhere", 1, "b")
		e.Scheduled(ctx, "elsewhere")
		start("other", 0, "b")
		start("other-elsewhere", 1, "a")
		e.EachRefused(ctx, map[string]string{
			"other":           "the device of the first node is locked to another value",
			"other-elsewhere": "the device of the second node is locked to another value",
		})
	},
}
