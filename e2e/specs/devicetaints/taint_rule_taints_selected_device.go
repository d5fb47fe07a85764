// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// taintRuleTaintsSelectedDevice creates a DeviceTaintRule that selects one device
// of one of two pools with devices of the same names.
var taintRuleTaintsSelectedDevice = suite.Spec{
	ID:           "taint-rule-taints-selected-device",
	Description:  "A DeviceTaintRule that selects a device by driver, pool and device taints this device and no others.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     ruleFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-rule-taints-devices", "5055-all-criteria-count"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createTwoPools(ctx, e)
		sim.CreateTaintRule(ctx, "card", selector(sim, sim.Names[0], "card"), noSchedule)
		waitForClosed(ctx, e, sim, 0, "card", "a device taint rule selects it")
		expectOpen(ctx, e, sim, 0, "disk")
		expectOpen(ctx, e, sim, 1, "card")
	},
}
