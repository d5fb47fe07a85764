// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceAllWithCapacity publishes two shared devices with four slots, a shared one
// with one slot, and an exclusive one with one slot. Claims request two slots of all
// devices until none are left, and two more.
var sharedDeviceAllWithCapacity = suite.Spec{
	ID:           "shared-device-all-with-capacity",
	Description:  "A request for all devices with an amount of a capacity is allocated the devices that have this amount, and consumes it of each shared device.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     sharedDeviceFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsWholePools},
	Requirements: []string{"5075-all-devices-with-capacity"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fixture.SharedDevices(nil, "left", "right", "small")
		inventory.Devices[2].Capacity["slots"] = resourceapi.DeviceCapacity{Value: resource.MustParse("1")}
		exclusive := fixture.Devices("exclusive").Devices[0]
		exclusive.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"slots": {Value: resource.MustParse("1")}}
		inventory.Devices = append(inventory.Devices, exclusive)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)

		device := sim.Device("")
		device.Capacity = slots(2)
		all := devices.NewDeviceClaim(fixture.One(device))
		all.Requests[0].Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
		for _, user := range []string{"first", "second"} {
			pods.CreateWithClaim(ctx, e, user, all)
			consumed := map[string]map[string]string{}
			for _, share := range waitForShares(ctx, e, user) {
				consumed[share.Device] = canonical(share.ConsumedCapacity)
			}
			gomega.Expect(consumed).To(gomega.Equal(map[string]map[string]string{"left": canonical(slots(2)), "right": canonical(slots(2))}),
				"the slots that claim %s consumes of each device that has enough", user)
		}
		pods.CreateWithClaim(ctx, e, "late", all)
		pods.WaitForPending(ctx, e, "the slots of both devices are in use", "late")
	},
}
