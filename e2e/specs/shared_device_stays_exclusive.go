package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var sharedDeviceStaysExclusive = suite.Spec{
	ID:       "shared-device-stays-exclusive",
	Sentence: "A device that was allocated before it allowed multiple allocations has no shares for other claims until it is deallocated.",
	Profile:  capacity,
	Features: sharesNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5075-exclusive-stays-exclusive",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		node := stage.Nodes[0]
		stage.Publish(ctx, suite.Pool{Node: node}, offers("nic"))
		e.Start(ctx, "before", called(stage, "nic"))
		e.Scheduled(ctx, "before")

		stage.Publish(ctx, suite.Pool{Node: node, Generation: 2}, described("nic.yaml"))
		stage.Withdraw(ctx, node, 1)
		e.Start(ctx, "after", called(stage, "nic"))
		e.Refused(ctx, "after", "claim before has all of the device")

		e.Removed(ctx, "before")
		getShares(ctx, e, "after")
	},
}
