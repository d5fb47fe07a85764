// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

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

// devicesAreSearchedToTheEnd publishes groups of three devices before one of four, of
// which a claim requests four of the same group. Another claim has nine requests, of
// which each accepts one device less than the one before, so that each must get the last
// device that it accepts.
var devicesAreSearchedToTheEnd = suite.Spec{
	ID:           "devices-are-searched-to-the-end",
	Description:  "Devices that satisfy a claim together are found, although thousands of other combinations do not and may be tried first.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-any-combination"},
	Body: func(ctx context.Context, e *env.Env) {
		const groups, each, requests = 28, 3, 9
		sim := simulated.CreateNodes(ctx, e, 2)
		inventory := &simulated.Inventory{}
		for i := range groups*each + each + 1 {
			device := fixture.Devices(fmt.Sprintf("grouped-%03d", i)).Devices[0]
			device.Attributes["group"] = resourceapi.DeviceAttribute{IntValue: ptr.To(int64(min(i/each, groups)))}
			inventory.Devices = append(inventory.Devices, device)
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		four := devices.NewDeviceClaim([]devices.Request{{Name: "four", Device: sim.Device(""), Count: each + 1}}, same(ownName(sim, "group")))
		pods.CreateWithClaimOnNode(ctx, e, "four", sim.Names[0], four)

		numbered := &simulated.Inventory{}
		var nested []devices.Request
		for i := range requests {
			device := fixture.Devices(fmt.Sprintf("numbered-%d", i)).Devices[0]
			device.Attributes["number"] = resourceapi.DeviceAttribute{IntValue: ptr.To(int64(i))}
			numbered.Devices = append(numbered.Devices, device)
			nested = append(nested, devices.Request{Name: fmt.Sprintf("below-%d", requests-i), Device: sim.Device(withOwn(sim, fmt.Sprintf("own.number < %d", requests-i)))})
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[1]}, numbered)
		pods.CreateWithClaimOnNode(ctx, e, "nested", sim.Names[1], devices.NewDeviceClaim(nested))
		pods.WaitForScheduled(ctx, e, "four", "nested")
		pods.CreateWithClaimOnNode(ctx, e, "four-more", sim.Names[0], four)
		pods.WaitForUnschedulable(ctx, e, "four-more", "no other group has four devices")
	},
}
