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

// sharedDeviceKeepsToPolicy publishes devices with different request policies.
// For each row of a table it requests an amount that the device does not
// allow. Then it requests allowed amounts of two of these devices.
var sharedDeviceKeepsToPolicy = suite.Spec{
	ID:          "shared-device-keeps-to-policy",
	Description: "A free device does not fit a request for more than its policy or its capacity allows, or for a capacity that it does not have.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    sharedDeviceFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5075-beyond-the-policy",
		"5075-requested-amount",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Load(data, "policies.yaml"))
		var unschedulable []string
		for _, row := range fixture.ReadList[amount](data, "amounts.yaml") {
			if row.Consumes == nil {
				pods.CreateWithRequests(ctx, e, row.Name, requestShare(sim, row.Device, row.Asks))
				unschedulable = append(unschedulable, row.Name)
			}
		}
		pods.WaitForAllUnschedulable(ctx, e, "their devices do not have the requested capacity", unschedulable...)

		// These amounts of the same devices are permitted.
		pods.CreateWithRequests(ctx, e, "up-to-maximum", requestShare(sim, "steps", memory("11Gi")))
		expectConsumed(ctx, e, "up-to-maximum", memory("11Gi"))
		pods.CreateWithRequests(ctx, e, "all-of-it", requestShare(sim, "plain", memory("40Gi")))
		expectConsumed(ctx, e, "all-of-it", memory("40Gi"))
	},
}
