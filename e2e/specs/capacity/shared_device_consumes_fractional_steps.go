// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceConsumesFractionalSteps publishes devices whose ranges have a
// minimum, a maximum or a step that is no whole number. For each row of a table it
// creates a claim, and compares the consumed capacity in the allocation. Claims
// for more than the maximum must be pending.
var sharedDeviceConsumesFractionalSteps = suite.Spec{
	ID:           "shared-device-consumes-fractional-steps",
	Description:  "A share of a capacity whose range has fractions consumes the minimum plus a whole number of steps, up to the maximum, and none of them is rounded to a whole number.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     fractionalFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5075-fractional-steps"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Load(data, "fractional_policies.yaml"))
		all := fixture.ReadList[amount](data, "fractional_amounts.yaml")
		var beyond []string
		for _, row := range all {
			pods.CreateWithRequests(ctx, e, row.Name, requestShare(sim, row.Device, row.Asks))
			if row.Consumes == nil {
				beyond = append(beyond, row.Name)
			}
		}
		for _, row := range all {
			if row.Consumes != nil {
				expectConsumedThousandths(ctx, e, row.Name, row.Consumes)
			}
		}
		pods.WaitForAllUnschedulable(ctx, e, "they request more than the maximum of the range", beyond...)
	},
}
