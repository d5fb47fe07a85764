// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package adminaccess

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// adminAccessKeepsToSelectors creates a DeviceClass for one of two devices, and
// claims with admin access to a device of this class. Their selectors allow this
// device, the other one, or any device.
var adminAccessKeepsToSelectors = suite.Spec{
	ID:           "admin-access-keeps-to-selectors",
	Description:  "A request for admin access is only allocated devices that its DeviceClass and its selectors select.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     adminFeatures,
	Component:    env.Scheduler,
	Needs:        adminNeeds,
	Requirements: []string{"5018-selectors-count"},
	Body: func(ctx context.Context, e *env.Env) {
		namespaces.AllowAdminAccess(ctx, e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		disks := sim.CreateDeviceClass(ctx, "disks", string(fixture.RequestFor(sim, "disk")[0].Device.Selector))
		for pod, selected := range map[string]string{"any": "", "same": "disk", "other": "card"} {
			device := fixture.SubRequestFor(sim, selected).Device
			device.Class = disks.Class
			pods.CreateWithClaim(ctx, e, pod, withAdminAccess(fixture.One(device)))
		}
		pods.WaitForScheduled(ctx, e, "any", "same")
		for _, claim := range []string{"any", "same"} {
			for _, result := range claims.GetAllocation(ctx, e, claim).Results {
				gomega.Expect(result.Device).To(gomega.Equal("disk"), "the device of claim %s should be of the class of the request", claim)
			}
		}
		pods.WaitForUnschedulable(ctx, e, "other", "no device of the class meets its selector")
	},
}
