package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var sharedDeviceCapacityOfOnePool = suite.Spec{
	ID:       "shared-device-capacity-of-one-pool",
	Sentence: "Capacity that is consumed of a device is not consumed of the device with the same name in the pool of another node.",
	Profile:  capacity,
	Features: sharesNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5075-capacity-of-one-pool",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 2)
		for _, node := range stage.Nodes {
			stage.Publish(ctx, suite.Pool{Node: node}, described("nic.yaml"))
		}
		start := func(name string, node int, slots int64) {
			e.StartClaimOn(ctx, name, stage.Nodes[node], suite.Devices(shareOf(stage, "nic", inSlots(slots))))
		}

		start("full", 0, 8)
		e.Scheduled(ctx, "full")
		start("elsewhere", 1, 8)
		e.Scheduled(ctx, "elsewhere")
		e.Removed(ctx, "elsewhere")
		start("more", 0, 1)
		e.Refused(ctx, "more", "all slots of the first node's device are taken")
	},
}
