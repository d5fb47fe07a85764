// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceToldFromOthers publishes a device with allowMultipleAllocations
// and one without. Claims select the latter and request more of one of its
// capacities than it has, all of both, and some of them a second time.
var sharedDeviceToldFromOthers = suite.Spec{
	ID:          "shared-device-told-from-others",
	Description: "Selectors distinguish devices that allow multiple allocations. Other devices are allocated once, if they have all of the requested capacity, and then as a whole.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    sharedDeviceFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5075-selected-by-being-shared",
		"5075-filter-of-other-devices",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, addExclusive(fixture.Load(data, "nic.yaml")))
		exclusive := func(n int64, amount string) []devices.Request {
			device := sim.Device("!device.allowMultipleAllocations")
			device.Capacity = slotsAndMemory(n, amount)
			return []devices.Request{{Name: "device", Device: device}}
		}

		// One of the two amounts is too large, whichever is compared first.
		pods.CreateWithRequests(ctx, e, "larger", exclusive(1, "5Gi"))
		pods.CreateWithRequests(ctx, e, "more-slots", exclusive(5, "1Gi"))
		pods.WaitForAllUnschedulable(ctx, e, "the only device that is not shared has 4Gi and 4 slots", "larger", "more-slots")
		pods.DeleteWithClaim(ctx, e, "larger")
		pods.DeleteWithClaim(ctx, e, "more-slots")

		pods.CreateWithRequests(ctx, e, "fits", exclusive(4, "4Gi"))
		pods.WaitForScheduled(ctx, e, "fits")
		result := claims.GetAllocation(ctx, e, "fits").Results[0]
		gomega.Expect(result.ShareID).To(gomega.BeNil(), "a device that is not shared has no shares")
		gomega.Expect(result.ConsumedCapacity).To(gomega.BeEmpty(), "a device that is not shared is allocated as a whole")

		pods.CreateWithRequests(ctx, e, "second", exclusive(1, "1Gi"))
		pods.WaitForUnschedulable(ctx, e, "second", "the only device that is not shared is allocated to claim fits")
	},
}

// addExclusive adds a device that is not shared, as it states, and has 4Gi of memory and 4
// slots.
func addExclusive(inventory *simulated.Inventory) *simulated.Inventory {
	device := fixture.Devices("exclusive").Devices[0]
	device.AllowMultipleAllocations = ptr.To(false)
	device.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse("4Gi")}, "slots": {Value: resource.MustParse("4")}}
	inventory.Devices = append(inventory.Devices, device)
	return inventory
}
