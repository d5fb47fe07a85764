// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// taintRuleSelectsByPool creates a DeviceTaintRule that selects one of two pools
// with devices of the same names.
var taintRuleSelectsByPool = suite.Spec{
	ID:           "taint-rule-selects-by-pool",
	Description:  "A DeviceTaintRule that names a pool and no device taints all devices of this pool, and none of others.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     ruleFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-rule-selects-by-pool"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createTwoPools(ctx, e)
		sim.CreateTaintRule(ctx, "pool", selector(sim, sim.Names[0], ""), noSchedule)
		waitForClosed(ctx, e, sim, 0, "card", "a device taint rule selects its pool")
		waitForClosed(ctx, e, sim, 0, "disk", "a device taint rule selects its pool")
		expectOpen(ctx, e, sim, 1, "card")
		expectOpen(ctx, e, sim, 1, "disk")
	},
}
