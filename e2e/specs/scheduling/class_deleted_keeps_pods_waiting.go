// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// classDeletedKeepsPodsWaiting deletes the DeviceClass of a claim that is
// allocated, and creates it again when the scheduler has no devices for new
// claims of this class any more. In between, a second pod uses the allocated claim.
var classDeletedKeepsPodsWaiting = suite.Spec{
	ID:           "class-deleted-keeps-pods-waiting",
	Description:  "No device is allocated for a claim whose DeviceClass was deleted, until there is a class of this name again. What is allocated stays allocated, and further pods can use it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-classes-exist-first"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		ofClass := fixture.One(sim.CreateDeviceClass(ctx, "brief", "true"))
		pods.CreateWithRequests(ctx, e, "holder", ofClass)
		pods.WaitForScheduled(ctx, e, "holder")
		claims.DeleteDeviceClass(ctx, e, ofClass[0].Device.Class)
		waiting := expect.PendingOnceSeen(ctx, e, "next", "the class of its claim was deleted", func(pod string) {
			pods.CreateWithRequests(ctx, e, pod, ofClass)
		})
		expect.AllocatedFor(ctx, e, "holder", "its device was allocated before the class was deleted", "device")
		pods.CreateUsingClaims(ctx, e, "user", pods.Options{}, "holder")
		pods.WaitForScheduled(ctx, e, "user")
		sim.CreateDeviceClass(ctx, "brief", "true")
		pods.WaitForScheduled(ctx, e, waiting)
	},
}
