// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

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
// accepts, and requests all slots of two devices in addition.
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

		inventory, requests := numberedDevices(sim, 9)
		inventory.Devices = append(inventory.Devices, fixture.Load(data, "nics.yaml").Devices...)
		for i, device := range []string{"one", "two", "two"} {
			requests = append(requests, devices.Request{Name: fmt.Sprintf("share-%d", i), Device: fixture.RequestFor(sim, device)[0].Device})
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[nodes]}, inventory)
		pods.CreateWithClaimOnNode(ctx, e, "nested", sim.Names[nodes], devices.NewDeviceClaim(requests))
		pods.WaitForScheduled(ctx, e, "nested")
	},
}

// numberedDevices returns devices with numbers, and as many requests, of which each
// accepts one device less than the one before.
func numberedDevices(s *simulated.Nodes, n int) (*simulated.Inventory, []devices.Request) {
	inventory := &simulated.Inventory{}
	var requests []devices.Request
	for i := range n {
		device := fixture.Devices(fmt.Sprintf("numbered-%d", i)).Devices[0]
		device.Attributes["number"] = resourceapi.DeviceAttribute{IntValue: ptr.To(int64(i))}
		inventory.Devices = append(inventory.Devices, device)
		below := fmt.Sprintf("'number' in device.attributes[%[1]q] && device.attributes[%[1]q].number < %[2]d", s.Driver, n-i)
		requests = append(requests, devices.Request{Name: fmt.Sprintf("below-%d", n-i), Device: s.Device(below)})
	}
	return inventory, requests
}
