// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// taintRuleDeletedLetsPodsIn creates pods for two devices that different
// DeviceTaintRules taint, and deletes one of the rules. Nothing else changes.
var taintRuleDeletedLetsPodsIn = suite.Spec{
	ID:           "taint-rule-deleted-lets-pods-in",
	Description:  "A pod that waits because of a DeviceTaintRule is scheduled when the rule is deleted, and those that wait because of other rules are not.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     ruleFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Alone:        true,
	Requirements: []string{"5055-rules-come-and-go"},
	Body: func(ctx context.Context, e *env.Env) {
		e.BoundWakeUps()
		sim := createTwoPools(ctx, e)
		sim.CreateTaintRule(ctx, "card", selector(sim, sim.Names[0], "card"), noSchedule)
		sim.CreateTaintRule(ctx, "disk", selector(sim, sim.Names[0], "disk"), noSchedule)
		card := waitForClosed(ctx, e, sim, 0, "card", "a device taint rule selects it")
		disk := waitForClosed(ctx, e, sim, 0, "disk", "a device taint rule selects it")
		sim.DeleteTaintRule(ctx, "card")
		pods.WaitForScheduled(ctx, e, card)
		pods.WaitForUnschedulable(ctx, e, disk, "another device taint rule selects its device")
	},
}
