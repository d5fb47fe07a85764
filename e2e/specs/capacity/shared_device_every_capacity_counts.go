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

// sharedDeviceEveryCapacityCounts allocates most of the memory of a device.
// Claims request more memory than is left, more slots than are left, and
// exactly the rest of both.
var sharedDeviceEveryCapacityCounts = suite.Spec{
	ID:          "shared-device-every-capacity-counts",
	Description: "A device with too little of one of its capacities left does not fit, however much is left of the others.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    sharedDeviceFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5075-capacity-not-exceeded",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Load(data, "nic.yaml"))
		pods.CreateWithRequests(ctx, e, "first", requestShare(sim, "nic", memory("6Gi")))
		expectConsumed(ctx, e, "first", slotsAndMemory(1, "6Gi"))

		pods.CreateWithRequests(ctx, e, "too-much-memory", requestShare(sim, "nic", memory("3Gi")))
		pods.CreateWithRequests(ctx, e, "too-many-slots", requestShare(sim, "nic", slots(8)))
		pods.WaitForAllUnschedulable(ctx, e, "2Gi of the memory and 7 slots are left", "too-much-memory", "too-many-slots")

		pods.CreateWithRequests(ctx, e, "rest", requestShare(sim, "nic", slotsAndMemory(7, "2Gi")))
		expectConsumed(ctx, e, "rest", slotsAndMemory(7, "2Gi"))
	},
}
