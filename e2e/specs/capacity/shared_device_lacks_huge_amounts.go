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

// sharedDeviceLacksHugeAmounts publishes devices with policies without a maximum, and requests
// the largest quantity of each. It is beyond what the sum with a step can be. Then the devices
// are requested with an amount that they have.
var sharedDeviceLacksHugeAmounts = suite.Spec{
	ID:          "shared-device-lacks-huge-amounts",
	Description: "A device does not fit a request for the largest quantity of a capacity, also if its policy has no maximum and rounds amounts up.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    sharedDeviceFeatures,
	Component:   env.Scheduler,
	// In earlier schedulers, the rounded amount overflows and is taken for a small one.
	Since:        "1.37",
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5075-requested-amount"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fixture.Load(data, "large_policies.yaml")
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		var huge, usual []string
		for _, device := range inventory.Devices {
			pods.CreateWithRequests(ctx, e, "huge-"+device.Name, requestShare(sim, device.Name, memory("9223372036854775807")))
			huge, usual = append(huge, "huge-"+device.Name), append(usual, "usual-"+device.Name)
		}
		pods.WaitForPending(ctx, e, "each of the devices has 40Gi", huge...)
		for _, device := range inventory.Devices {
			pods.CreateWithRequests(ctx, e, "usual-"+device.Name, requestShare(sim, device.Name, memory("3Gi")))
		}
		pods.WaitForScheduled(ctx, e, usual...)
	},
}
