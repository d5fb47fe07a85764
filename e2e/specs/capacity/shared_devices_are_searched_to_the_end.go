// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDevicesAreSearchedToTheEnd publishes two shared devices on each of four nodes.
// Pods request all slots of one of them, whichever it is, and all slots of a certain one.
// Another claim has nine requests, of which each must get the last device that it
// accepts, and requests all slots of two devices in addition, and twice all slots of one of
// two devices, of which another claim has one of the slots.
var sharedDevicesAreSearchedToTheEnd = suite.Spec{
	ID:           "shared-devices-are-searched-to-the-end",
	Description:  "Shares of devices that satisfy the claims of a pod together are found, although the scheduler may try others first, or needs many attempts for other devices.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     sharedDeviceFeatures,
	Component:    env.Scheduler,
	Since:        "1.35", // The scheduler of 1.34 compares the capacity of other devices.
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5075-any-combination"},
	Body: func(ctx context.Context, e *env.Env) {
		const nodes = 4
		sim := simulated.CreateNodes(ctx, e, nodes+1)
		for _, node := range sim.Names[:nodes] {
			sim.CreatePool(ctx, simulated.Pool{Node: node}, fixture.SharedDevices(nil, "one", "two"))
		}
		// Each pod needs both devices of a node. For one of the two names, the device
		// that the scheduler tries first is the wrong one.
		var names []string
		for _, device := range []string{"one", "two"} {
			requests := anyDevices(sim, "any", "certain")
			requests[0].Device.Capacity = slots(fixture.Slots)
			requests[1].Device = requestShare(sim, device, slots(fixture.Slots))[0].Device
			pods.CreateWithRequests(ctx, e, "requests-"+device, requests)
			pods.CreateWithClaims(ctx, e, "claims-"+device, devices.NewDeviceClaim(requests[:1]), devices.NewDeviceClaim(requests[1:]))
			names = append(names, "requests-"+device, "claims-"+device)
		}
		pods.WaitForScheduled(ctx, e, names...)

		inventory, requests := fixture.Numbered(sim, 9)
		inventory.Devices = append(inventory.Devices, fixture.Load(data, "nics.yaml").Devices...)
		for i, device := range []string{"one", "two", "two"} {
			requests = append(requests, devices.Request{Name: fmt.Sprintf("share-%d", i), Device: fixture.RequestFor(sim, device)[0].Device})
		}
		inventory.Devices = append(inventory.Devices, fixture.SharedDevices(nil, "left-0", "left-1", "right-0", "right-1").Devices...)
		for _, side := range []string{"left", "right"} {
			request := devices.Request{Name: side, Device: fixture.SubRequestFor(sim, side).Device}
			request.Device.Capacity = slots(fixture.Slots)
			requests = append(requests, request)
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[nodes]}, inventory)
		expect.SchedulerHasSeen(ctx, e, sim, "left-0", "right-1")
		pods.CreateWithClaimOnNode(ctx, e, "nested", sim.Names[nodes], devices.NewDeviceClaim(requests))
		pods.WaitForScheduled(ctx, e, "nested")
	},
}
