package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var sharedDeviceWithoutPolicy = suite.Spec{
	ID:       "shared-device-without-policy",
	Sentence: "A share consumes all of a capacity that has no request policy and that is not requested, so that the device has no further share.",
	Profile:  capacity,
	Features: sharesNeed,
	Judges:   suite.JudgesScheduler,
	Since:    "1.36", // The scheduler of 1.34 finds no device for such a request.
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5075-full-amount-without-policy",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, described("policies.yaml"))
		e.Start(ctx, "all", called(stage, "plain"))
		consumes(ctx, e, "all", inMemory("40Gi"))
		e.Start(ctx, "late", shareOf(stage, "plain", inMemory("1Gi")))
		e.Refused(ctx, "late", "claim all consumes all of the device's memory")
	},
}
