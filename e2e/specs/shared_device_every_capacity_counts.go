package specs

import (
	"context"
	"maps"

	"github.com/draconform/draconform/e2e/suite"
)

var sharedDeviceEveryCapacityCounts = suite.Spec{
	ID:       "shared-device-every-capacity-counts",
	Sentence: "A device with too little of one of its capacities left does not fit, however much is left of the others.",
	Profile:  capacity,
	Features: sharesNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5075-capacity-not-exceeded",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, described("nic.yaml"))
		e.Start(ctx, "first", shareOf(stage, "nic", inMemory("6Gi")))
		consumes(ctx, e, "first", inBoth(1, "6Gi"))

		e.Start(ctx, "too-much-memory", shareOf(stage, "nic", inMemory("3Gi")))
		e.Start(ctx, "too-many-slots", shareOf(stage, "nic", inSlots(8)))
		e.AllRefused(ctx, "2Gi of the memory and 7 slots are left", "too-much-memory", "too-many-slots")

		e.Start(ctx, "rest", shareOf(stage, "nic", inBoth(7, "2Gi")))
		consumes(ctx, e, "rest", inBoth(7, "2Gi"))
	},
}

// inBoth returns amounts of the capacities slots and memory.
func inBoth(slot int64, amount string) amounts {
	all := inSlots(slot)
	maps.Copy(all, inMemory(amount))
	return all
}
