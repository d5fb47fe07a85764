// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceStaysExclusive allocates a device, publishes it again with
// allowMultipleAllocations, and requests it for another claim. Then the first
// claim is deleted.
var sharedDeviceStaysExclusive = suite.Spec{
	ID:          "shared-device-stays-exclusive",
	Description: "A device that was allocated before it allowed multiple allocations has no shares for other claims until it is deallocated.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    sharedDeviceFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5075-exclusive-stays-exclusive",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		node := sim.Names[0]
		sim.CreatePool(ctx, simulated.Pool{Node: node}, fixture.Devices("nic"))
		pods.CreateWithRequests(ctx, e, "before", fixture.RequestFor(sim, "nic"))
		pods.WaitForScheduled(ctx, e, "before")

		shared := fixture.Load(data, "nic.yaml")
		shared.Devices = append(shared.Devices, fixture.Devices("seen").Devices...)
		sim.CreatePool(ctx, simulated.Pool{Node: node, Generation: 2}, shared)
		sim.DeleteSlices(ctx, node, 1)
		expect.SchedulerHasSeen(ctx, e, sim, "seen")
		pods.CreateWithRequests(ctx, e, "after", fixture.RequestFor(sim, "nic"))
		pods.WaitForUnschedulable(ctx, e, "after", "claim before has all of the device")

		pods.DeleteWithClaim(ctx, e, "before")
		waitForShares(ctx, e, "after")
	},
}
