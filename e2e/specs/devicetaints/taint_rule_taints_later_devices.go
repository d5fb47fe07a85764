// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintRuleTaintsLaterDevices creates DeviceTaintRules for a published device and
// for a pool that is published afterwards. When both have been observed, another
// pod requests the first device, and one more when the slice of this device was updated.
var taintRuleTaintsLaterDevices = suite.Spec{
	ID:           "taint-rule-taints-later-devices",
	Description:  "A DeviceTaintRule also taints devices that are published after it, and it applies to all later pods as long as it exists, also when the slice of the device is updated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     ruleFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-rules-are-lasting"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createTwoPools(ctx, e)
		node := sim.Names[1]
		sim.CreateTaintRule(ctx, "card", selector(sim, sim.Names[0], "card"), noSchedule)
		sim.CreateTaintRule(ctx, "later", selector(sim, "later", ""), noSchedule)
		waitForClosed(ctx, e, sim, 0, "card", "a device taint rule selects it")
		sim.CreatePool(ctx, simulated.Pool{Name: "later", Node: node}, fixture.Devices("fan"))
		fan := waitForClosed(ctx, e, sim, 1, "fan", "a device taint rule selects its pool")
		createPodFor(ctx, e, sim, "disk", "disk")
		pods.WaitForScheduled(ctx, e, "disk")
		pods.CreateWithClaimOnNode(ctx, e, "again", sim.Names[0], claimFor(sim, "card"))
		pods.WaitForUnschedulable(ctx, e, "again", "the device taint rule for its device still exists")
		sim.UpdateSlice(ctx, sim.Names[0], "card", 2, fixture.Devices("card", "disk", "seen").Devices)
		expect.SchedulerHasSeen(ctx, e, sim, "seen")
		pods.CreateWithClaimOnNode(ctx, e, "updated", sim.Names[0], claimFor(sim, "card"))
		pods.WaitForAllUnschedulable(ctx, e, "an update of the slice leaves the device taint rule for its device as it is", "again", "updated")
		sim.DeleteTaintRule(ctx, "later")
		pods.WaitForScheduled(ctx, e, fan)
	},
}
