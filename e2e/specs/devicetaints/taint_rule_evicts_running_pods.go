// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// taintRuleEvictsRunningPods schedules pods for devices of two pools, and creates a
// DeviceTaintRule of the effect NoExecute for two of them, after one for devices of another
// driver with the names of a third one and its pool. One of these pods
// tolerates it.
var taintRuleEvictsRunningPods = suite.Spec{
	ID:           "taint-rule-evicts-running-pods",
	Description:  "A DeviceTaintRule of the effect NoExecute evicts the pods with selected devices whose claims do not tolerate it, and no others.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     ruleFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-rule-evicts"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createTwoPools(ctx, e)
		pods.CreateWithClaimOnNode(ctx, e, "selected", sim.Names[0], claimFor(sim, "card"))
		pods.CreateWithClaimOnNode(ctx, e, "tolerant", sim.Names[0], claimFor(sim, "disk", tolerate(worn, noExecute.Effect)))
		pods.CreateWithClaimOnNode(ctx, e, "other-card", sim.Names[1], claimFor(sim, "card"))
		pods.CreateWithClaimOnNode(ctx, e, "other-disk", sim.Names[1], claimFor(sim, "disk"))
		pods.WaitForScheduled(ctx, e, "selected", "tolerant", "other-card", "other-disk")

		ofOther, other := selector(sim, sim.Names[1], "card"), sim.OtherDriver()
		ofOther.Driver = &other
		sim.CreateTaintRule(ctx, "other", ofOther, noExecute)
		sim.CreateTaintRule(ctx, "pool", selector(sim, sim.Names[0], ""), noExecute)
		pods.WaitForDisrupted(ctx, e, "a device taint rule of the effect NoExecute selects its pool", "selected")
		pods.ExpectNotEvicted(ctx, e, "its claim tolerates the taint of the rule", "tolerant")
		pods.ExpectNotEvicted(ctx, e, "neither a rule for another pool nor one for another driver selects their devices", "other-card", "other-disk")
	},
}
