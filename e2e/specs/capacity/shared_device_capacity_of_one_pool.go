// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceCapacityOfOnePool publishes a device with the same name on two nodes, and one
// of another driver whose pool has the same name, too. It requests all slots of each, and then
// one more slot of the first.
var sharedDeviceCapacityOfOnePool = suite.Spec{
	ID:          "shared-device-capacity-of-one-pool",
	Description: "Capacity that is consumed of a device is not consumed of the device with the same name in the pool of another node or of another driver.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    sharedDeviceFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5075-capacity-of-one-pool",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		for _, node := range sim.Names {
			sim.CreatePool(ctx, simulated.Pool{Node: node}, fixture.Load(data, "nic.yaml"))
		}
		other := sim.AddDriver(ctx)
		other.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Load(data, "nic.yaml"))
		start := func(name string, node int, n int64) {
			pods.CreateWithClaimOnNode(ctx, e, name, sim.Names[node], devices.NewDeviceClaim(requestShare(sim, "nic", slots(n))))
		}

		start("full", 0, 8)
		pods.WaitForScheduled(ctx, e, "full")
		start("elsewhere", 1, 8)
		pods.WaitForScheduled(ctx, e, "elsewhere")
		pods.CreateWithClaimOnNode(ctx, e, "of-other-driver", sim.Names[0], devices.NewDeviceClaim(requestShare(other, "nic", slots(8))))
		pods.WaitForScheduled(ctx, e, "of-other-driver")
		pods.DeleteWithClaim(ctx, e, "elsewhere")
		pods.DeleteWithClaim(ctx, e, "of-other-driver")
		start("more", 0, 1)
		pods.WaitForUnschedulable(ctx, e, "more", "all slots of the first node's device are taken")
	},
}
