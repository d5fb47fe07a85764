// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
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
// the mode idle of this device.
var deviceChangedIsSelectedAnew = suite.Spec{
	ID:           "device-changed-is-selected-anew",
	Description:  "When an attribute of a device changes, the device is allocated to claims that select its new value, also to those that wait, and not to claims that select the former value.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Alone:        true,
	Requirements: []string{"4381-scheduling-devices-as-they-are"},
	Body: func(ctx context.Context, e *env.Env) {
		e.BoundWakeUps()
		sim := simulated.CreateNodes(ctx, e, 1)
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
	},
}
