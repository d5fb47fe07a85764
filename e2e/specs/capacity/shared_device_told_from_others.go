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
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceToldFromOthers publishes a device with allowMultipleAllocations
// and one without. Claims select the latter and request more memory than it
// has, less, and some of it a second time.
var sharedDeviceToldFromOthers = suite.Spec{
	ID:          "shared-device-told-from-others",
	Description: "Selectors distinguish devices that allow multiple allocations. Other devices are allocated once, if they have the requested capacity, and then as a whole.",
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
		exclusive := func(amount string) []devices.Request {
			device := sim.Device("!device.allowMultipleAllocations")
			device.Capacity = memory(amount)
			return []devices.Request{{Name: "device", Device: device}}
		}

		pods.CreateWithRequests(ctx, e, "larger", exclusive("5Gi"))
		pods.WaitForUnschedulable(ctx, e, "larger", "the only device that is not shared has 4Gi")
		pods.DeleteWithClaim(ctx, e, "larger")

		pods.CreateWithRequests(ctx, e, "fits", exclusive("3Gi"))
		pods.WaitForScheduled(ctx, e, "fits")
		result := claims.GetAllocation(ctx, e, "fits").Results[0]
		gomega.Expect(result.ShareID).To(gomega.BeNil(), "a device that is not shared has no shares")
		gomega.Expect(result.ConsumedCapacity).To(gomega.BeEmpty(), "a device that is not shared is allocated as a whole")

		pods.CreateWithRequests(ctx, e, "second", exclusive("1Gi"))
		pods.WaitForUnschedulable(ctx, e, "second", "the only device that is not shared is allocated to claim fits")
	},
}

// addExclusive adds a device that is not shared and has 4Gi of memory.
func addExclusive(inventory *simulated.Inventory) *simulated.Inventory {
	device := fixture.Devices("exclusive").Devices[0]
	device.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse("4Gi")}}
	inventory.Devices = append(inventory.Devices, device)
	return inventory
}
