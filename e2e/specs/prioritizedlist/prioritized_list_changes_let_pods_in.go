// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"
	"slices"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// prioritizedListChangesLetPodsIn creates pods with lists of two subrequests. The DeviceClass of
// the first one, or of the last one, does not exist, and no device is selected by the other one.
// It creates the classes, and then a slice with the device of the last subrequest of another pod.
// Nothing else changes.
var prioritizedListChangesLetPodsIn = suite.Spec{
	ID:           "prioritized-list-changes-let-pods-in",
	Description:  "A pod with a list is scheduled when the DeviceClass of one of its subrequests is created, or a ResourceSlice with a device for one of them, also if it is the last one.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     simulatedFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Alone:        true,
	Requirements: []string{"4816-changes-wake-pods"},
	Body: func(ctx context.Context, e *env.Env) {
		e.BoundWakeUps()
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		absent, tape := fixture.SubRequestFor(sim, "absent"), fixture.SubRequestFor(sim, "tape")
		for _, device := range []string{"card", "disk"} {
			late := fixture.SubRequestFor(sim, device)
			late.Device.Class = claims.DeviceClassName(e, device)
			list := []devices.SubRequest{late, absent}
			if device == "disk" {
				slices.Reverse(list)
			}
			pods.CreateWithRequests(ctx, e, device, []devices.Request{fixture.FirstAvailable("list", list...)})
			// A scheduler may report nothing about a pod that it does not try.
			pods.ExpectNotBound(ctx, e, device, "the class of one of its subrequests does not exist, and the other one selects no device")
			sim.CreateDeviceClass(ctx, device, "true")
			expect.ScheduledFor(ctx, e, device, "the class of this subrequest exists now", "list/"+device)
		}

		pods.CreateWithRequests(ctx, e, "for-slice", []devices.Request{fixture.FirstAvailable("list", absent, tape)})
		pods.WaitForUnschedulable(ctx, e, "for-slice", "no slice has a device for its subrequests")
		sim.CreatePool(ctx, simulated.Pool{Name: sim.Names[0] + "-late", Node: sim.Names[0]}, fixture.Devices("tape"))
		expect.ScheduledFor(ctx, e, "for-slice", "a slice has the device of this subrequest now", "list/tape")
	},
}
