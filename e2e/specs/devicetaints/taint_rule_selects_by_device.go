// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// taintRuleSelectsByDevice creates a DeviceTaintRule that selects devices by a name
// that devices of two pools have.
var taintRuleSelectsByDevice = suite.Spec{
	ID:           "taint-rule-selects-by-device",
	Description:  "A DeviceTaintRule that names a device and no pool taints the devices with this name of all pools, and no others.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     ruleFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-rule-selects-by-device"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createTwoPools(ctx, e)
		sim.CreateTaintRule(ctx, "device", selector(sim, "", "card"), noSchedule)
		waitForClosed(ctx, e, sim, 0, "card", "a device taint rule selects its name")
		waitForClosed(ctx, e, sim, 1, "card", "a device taint rule selects its name")
		expectOpen(ctx, e, sim, 0, "disk")
		expectOpen(ctx, e, sim, 1, "disk")
	},
}
