// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceShrinksUnderShares allocates six of eight slots of a device. Then it publishes
// the device with four slots, and with seven, and each time requests one more.
var sharedDeviceShrinksUnderShares = suite.Spec{
	ID:           "shared-device-shrinks-under-shares",
	Description:  "A device that is published with less capacity than its shares consume has no more shares for other claims. Once it has more again, they get what its shares leave.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     sharedDeviceFeatures,
	Component:    env.Scheduler,
	Since:        "1.35", // The scheduler of 1.34 compares the capacity of other devices.
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5075-capacity-not-exceeded"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		node := sim.Names[0]
		publish := func(generation, slots int64, seen string) {
			inventory := fixture.SharedDevices(nil, "nic")
			capacity := inventory.Devices[0].Capacity["slots"]
			capacity.Value = *resource.NewQuantity(slots, resource.DecimalSI)
			inventory.Devices[0].Capacity["slots"] = capacity
			inventory.Devices = append(inventory.Devices, fixture.Devices(seen).Devices...)
			sim.CreatePool(ctx, simulated.Pool{Node: node, Generation: generation}, inventory)
			if generation > 1 {
				sim.DeleteSlices(ctx, node, generation-1)
			}
			expect.SchedulerHasSeen(ctx, e, sim, seen)
		}
		publish(1, 8, "eight")
		pods.CreateWithRequests(ctx, e, "six", requestShare(sim, "nic", slots(6)))
		waitForShares(ctx, e, "six")

		publish(2, 4, "four")
		pods.CreateWithRequests(ctx, e, "one", fixture.RequestFor(sim, "nic"))
		pods.WaitForUnschedulable(ctx, e, "one", "claim six consumes more than the four slots of its device")

		publish(3, 7, "seven")
		waitForShares(ctx, e, "one")
		pods.CreateWithRequests(ctx, e, "late", fixture.RequestFor(sim, "nic"))
		pods.WaitForUnschedulable(ctx, e, "late", "the claims six and one consume the seven slots of its device")
		sim.DeleteSlices(ctx, node, 0)
		gone := expect.PendingOnceSeen(ctx, e, "gone", "the slice of its device was deleted", func(pod string) {
			pods.CreateWithRequests(ctx, e, pod, fixture.RequestFor(sim, "nic"))
		})
		publish(4, 7, "again")
		pods.WaitForAllUnschedulable(ctx, e, "the claims six and one consume the seven slots of their device since before its slice was deleted", "late", gone)
	},
}
