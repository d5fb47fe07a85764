// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// deviceChangedIsSelectedAnew publishes two devices in the mode idle. One pod waits
// for a device in the mode busy, until a device has it. Then the next pods request
// the mode idle of this device. Another pod waits for a device of another zone, until
// its slice selects the zone of the node, and one for more memory, until a device has it.
var deviceChangedIsSelectedAnew = suite.Spec{
	ID:           "device-changed-is-selected-anew",
	Description:  "When an attribute of a device changes, the device is allocated to claims that select its new value, also to those that wait, and not to claims that select the former value. When its capacity grows, it is allocated to claims that wait for more. A pod that waits for a device is scheduled when the slice of the device is changed and selects its node.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Alone:        true,
	Requirements: []string{"4381-scheduling-devices-as-they-are", "4381-scheduling-selected-nodes-as-they-are"},
	Body: func(ctx context.Context, e *env.Env) {
		e.BoundWakeUps()
		sim := simulated.CreateNodes(ctx, e, 1, func(_ int, node *corev1.Node) { node.Labels[zone] = "a" })
		inventory := fixture.Devices("card", "disk")
		for i := range inventory.Devices {
			inventory.Devices[i].Attributes["mode"] = resourceapi.DeviceAttribute{StringValue: ptr.To("idle")}
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		createFor := func(pod, device, mode string) {
			requests := fixture.RequestFor(sim, device)
			requests[0].Device = sim.Device(fmt.Sprintf("%s && device.attributes[%q].mode == %q", requests[0].Device.Selector, sim.Driver, mode))
			pods.CreateWithRequests(ctx, e, pod, requests)
		}
		createFor("waiting", "card", "busy")
		pods.WaitForUnschedulable(ctx, e, "waiting", "its device is idle")
		createFor("idle", "disk", "idle")
		pods.WaitForScheduled(ctx, e, "idle")
		pods.DeleteWithClaim(ctx, e, "idle")
		sim.UpdateDevices(ctx, sim.Names[0], func(device *resourceapi.Device) bool {
			device.Attributes["mode"] = resourceapi.DeviceAttribute{StringValue: ptr.To("busy")}
			return true
		})
		pods.WaitForScheduled(ctx, e, "waiting")
		expect.PendingOnceSeen(ctx, e, "former", "its device is not idle any more", func(pod string) { createFor(pod, "disk", "idle") })

		sim.CreatePool(ctx, simulated.Pool{Name: "rack", Selector: inZone("b")}, fixture.Devices("tape"))
		createPodFor(ctx, e, sim, "elsewhere", "tape")
		pods.WaitForUnschedulable(ctx, e, "elsewhere", "the slice of its device selects another zone")
		sim.SelectNodes(ctx, "rack", inZone("a"))
		pods.WaitForScheduled(ctx, e, "elsewhere")
		expectGrowthSeen(ctx, e, sim)
	},
}

// expectGrowthSeen publishes a device with some memory, and asserts that a pod that waits for a
// device with more is scheduled when the device has it.
func expectGrowthSeen(ctx context.Context, e *env.Env, sim *simulated.Nodes) {
	ginkgo.GinkgoHelper()
	withMemory := func(amount string) *simulated.Inventory {
		inventory := fixture.Devices("drum")
		inventory.Devices[0].Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse(amount)}}
		return inventory
	}
	sim.CreatePool(ctx, simulated.Pool{Name: "drum", Node: sim.Names[0]}, withMemory("10Gi"))
	requests := fixture.RequestFor(sim, "drum")
	selector := fmt.Sprintf(`%s && device.capacity[%q].memory.compareTo(quantity("20Gi")) >= 0`, requests[0].Device.Selector, sim.Driver)
	requests[0].Device = sim.Device(selector)
	pods.CreateWithRequests(ctx, e, "larger", requests)
	pods.WaitForUnschedulable(ctx, e, "larger", "its device has less memory")
	sim.UpdateSlice(ctx, "drum", "drum", 2, withMemory("40Gi").Devices)
	pods.WaitForScheduled(ctx, e, "larger")
}
