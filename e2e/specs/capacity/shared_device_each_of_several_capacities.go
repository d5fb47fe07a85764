// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceEachOfSeveralCapacities publishes as many devices as they have capacities, with
// two units of each capacity. For each device, a claim consumes all of another capacity and
// one unit of the others. Then a claim requests one unit of all capacities, and one what is
// left.
var sharedDeviceEachOfSeveralCapacities = suite.Spec{
	ID:           "shared-device-each-of-several-capacities",
	Description:  "A device of whose several capacities one is used up, whichever it is, does not fit a request for all of them, and fits one for the others.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     sharedDeviceFeatures,
	Component:    env.Scheduler,
	Since:        "1.36", // As the spec of capacities without policies.
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5075-capacity-not-exceeded"},
	Body: func(ctx context.Context, e *env.Env) {
		const capacities = 4
		name := func(i int) resourceapi.QualifiedName { return resourceapi.QualifiedName(fmt.Sprintf("units%d", i)) }
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := &simulated.Inventory{}
		for i := range capacities {
			device := fixture.Devices(fmt.Sprintf("nic-%d", i)).Devices[0]
			device.AllowMultipleAllocations = ptr.To(true)
			device.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{}
			for j := range capacities {
				device.Capacity[name(j)] = resourceapi.DeviceCapacity{Value: resource.MustParse("2")}
			}
			inventory.Devices = append(inventory.Devices, device)
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		// Each pod requests one unit, and another number of the capacity with its number.
		create := func(kind string, units int64) (names []string) {
			for i := range capacities {
				want := amounts{}
				for j := range capacities {
					want[name(j)] = *resource.NewQuantity(1, resource.DecimalSI)
				}
				want[name(i)] = *resource.NewQuantity(units, resource.DecimalSI)
				pod := fmt.Sprintf("%s-%d", kind, i)
				pods.CreateWithRequests(ctx, e, pod, requestShare(sim, fmt.Sprintf("nic-%d", i), want))
				names = append(names, pod)
			}
			return names
		}
		pods.WaitForScheduled(ctx, e, create("most", 2)...)
		pods.WaitForAllUnschedulable(ctx, e, "nothing is left of one of the capacities of their devices", create("late", 1)...)
		pods.WaitForScheduled(ctx, e, create("rest", 0)...)
	},
}
