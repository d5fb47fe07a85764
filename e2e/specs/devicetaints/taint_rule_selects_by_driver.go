// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// taintRuleSelectsByDriver creates a DeviceTaintRule for a device of a driver that
// does not exist, and a later one for another device. When the second one has an
// effect, the first one has been observed as well. A third one names only the driver.
var taintRuleSelectsByDriver = suite.Spec{
	ID:           "taint-rule-selects-by-driver",
	Description:  "A DeviceTaintRule that names a driver taints no devices of other drivers, whose pools and devices have the same names. If it names nothing else, it taints all devices of the driver.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     ruleFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-rule-selects-by-driver"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createTwoPools(ctx, e)
		ofOther := selector(sim, sim.Names[0], "card")
		other := sim.OtherDriver()
		ofOther.Driver = &other
		sim.CreateTaintRule(ctx, "other", ofOther, noSchedule)
		sim.CreateTaintRule(ctx, "own", selector(sim, sim.Names[1], "disk"), noSchedule)
		waitForClosed(ctx, e, sim, 1, "disk", "a device taint rule selects it")
		expectOpen(ctx, e, sim, 0, "card")
		sim.CreateTaintRule(ctx, "all", selector(sim, "", ""), noSchedule)
		const because = "a device taint rule selects all devices of the driver"
		waitForClosed(ctx, e, sim, 0, "disk", because)
		waitForClosed(ctx, e, sim, 1, "card", because)
	},
}
