// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// classReplacedSelectsAnew allocates the device that a DeviceClass selects. The class
// is then replaced by one of the same name that selects another device.
var classReplacedSelectsAnew = suite.Spec{
	ID:           "class-replaced-selects-anew",
	Description:  "When a DeviceClass is replaced by one of the same name, the next claims get devices that the new class selects, and no others.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-classes-as-they-are"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		selecting := func(device string) string { return string(fixture.RequestFor(sim, device)[0].Device.Selector) }
		ofClass := fixture.One(sim.CreateDeviceClass(ctx, "brief", selecting("card")))
		pods.CreateWithRequests(ctx, e, "before", ofClass)
		pods.WaitForScheduled(ctx, e, "before")
		claims.DeleteDeviceClass(ctx, e, ofClass[0].Device.Class)
		sim.CreateDeviceClass(ctx, "brief", selecting("disk"))
		pods.CreateWithRequests(ctx, e, "after", ofClass)
		got := pods.WaitForScheduled(ctx, e, "after")
		gomega.Expect(got).To(gomega.HaveLen(1))
		gomega.Expect(got[0].Device).To(gomega.Equal("disk"), "the class selects this device since it was replaced")
		pods.DeleteWithClaim(ctx, e, "before")
		pods.CreateWithRequests(ctx, e, "again", ofClass)
		pods.WaitForUnschedulable(ctx, e, "again", "the free device is the one that the former class selected")
	},
}
