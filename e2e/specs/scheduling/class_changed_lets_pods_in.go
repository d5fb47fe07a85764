// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// classChangedLetsPodsIn changes the selector of a DeviceClass in place: first it
// selects a device for which a pod waits, and then none. Nothing else changes.
var classChangedLetsPodsIn = suite.Spec{
	ID:           "class-changed-lets-pods-in",
	Description:  "A pod that waits because its DeviceClass selects no device is scheduled when the class is changed and selects one. When the class is changed again, the device is not allocated for it any more.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Alone:        true,
	Requirements: []string{"4381-scheduling-classes-change"},
	Body: func(ctx context.Context, e *env.Env) {
		e.BoundWakeUps()
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		ofClass := fixture.One(sim.CreateDeviceClass(ctx, "brief", "false"))
		pods.CreateWithRequests(ctx, e, "waiting", ofClass)
		pods.WaitForUnschedulable(ctx, e, "waiting", "its class selects no device")
		sim.ChangeDeviceClass(ctx, ofClass[0].Device.Class, string(fixture.RequestFor(sim, "disk")[0].Device.Selector))
		got := pods.WaitForScheduled(ctx, e, "waiting")
		gomega.Expect(got).To(gomega.HaveLen(1))
		gomega.Expect(got[0].Device).To(gomega.Equal("disk"), "the class selects this device since it was changed")
		pods.DeleteWithClaim(ctx, e, "waiting")
		sim.ChangeDeviceClass(ctx, ofClass[0].Device.Class, "false")
		expect.PendingOnceSeen(ctx, e, "former", "the class of its claim selects no device any more", func(pod string) {
			pods.CreateWithRequests(ctx, e, pod, ofClass)
		})
	},
}
