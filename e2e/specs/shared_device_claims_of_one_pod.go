package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var sharedDeviceClaimsOfOnePod = suite.Spec{
	ID:       "shared-device-claims-of-one-pod",
	Sentence: "Two claims of one pod get shares of a device with enough capacity for both, and the pod is pending if the capacity suffices for one.",
	Profile:  capacity,
	Features: sharesNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5075-claims-of-one-pod",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, described("nics.yaml"))
		pair := func(device string) {
			claim := suite.Devices(called(stage, device))
			e.StartClaims(ctx, device, claim, claim)
		}

		pair("one")
		e.Refused(ctx, "one", "its claims need two slots of a device with one")
		pair("two")
		e.Scheduled(ctx, "two")
	},
}
