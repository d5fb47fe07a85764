// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package adminaccess

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// adminAccessKeepsToSelectors creates a DeviceClass with a configuration for one of two
// devices, and claims with admin access to a device of this class. Their selectors allow
// this device, the other one, or any device.
var adminAccessKeepsToSelectors = suite.Spec{
	ID:           "admin-access-keeps-to-selectors",
	Description:  "A request for admin access is only allocated devices that its DeviceClass and its selectors select, with the configuration of the class.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     adminFeatures,
	Component:    env.Scheduler,
	Needs:        adminNeeds,
	Requirements: []string{"4381-scheduling-configuration-of-the-class", "5018-selectors-count"},
	Body: func(ctx context.Context, e *env.Env) {
		namespaces.AllowAdminAccess(ctx, e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		config := resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: sim.Driver, Parameters: runtime.RawExtension{Raw: []byte(`{"mode":"slow"}`)}}}
		disks := claims.CreateDeviceClassWithSpec(ctx, e, "disks", resourceapi.DeviceClassSpec{
			Selectors: []resourceapi.DeviceSelector{
				{CEL: &resourceapi.CELDeviceSelector{Expression: fmt.Sprintf("device.driver == %q", sim.Driver)}},
				{CEL: &resourceapi.CELDeviceSelector{Expression: string(fixture.RequestFor(sim, "disk")[0].Device.Selector)}},
			},
			Config: []resourceapi.DeviceClassConfiguration{{DeviceConfiguration: config}},
		})
		for pod, selected := range map[string]string{"any": "", "same": "disk", "other": "card"} {
			device := fixture.SubRequestFor(sim, selected).Device
			device.Class = disks
			pods.CreateWithClaim(ctx, e, pod, withAdminAccess(fixture.One(device)))
		}
		pods.WaitForScheduled(ctx, e, "any", "same")
		for _, claim := range []string{"any", "same"} {
			allocation := claims.GetAllocation(ctx, e, claim)
			gomega.Expect(allocation.Config).To(gomega.HaveLen(1), "claim %s should have the configuration of the class of its request", claim)
			for _, result := range allocation.Results {
				gomega.Expect(result.Device).To(gomega.Equal("disk"), "the device of claim %s should be of the class of the request", claim)
			}
		}
		pods.WaitForUnschedulable(ctx, e, "other", "no device of the class meets its selector")
	},
}
