// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceInALargeSlice publishes two slices with 128 devices, of which the first half is
// exclusive and the second one shared, and the other way around.
var sharedDeviceInALargeSlice = suite.Spec{
	ID:           "shared-device-in-a-large-slice",
	Description:  "Whether a device is shared depends on this device, wherever it is in a slice with 128 devices, and not on others.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     sharedDeviceFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5075-others-once", "5075-several-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		var shared, exclusive []string
		for i := range resourceapi.ResourceSliceMaxDevices / 2 {
			shared, exclusive = append(shared, fmt.Sprintf("shared-%d", i)), append(exclusive, fmt.Sprintf("exclusive-%d", i))
		}
		last := resourceapi.ResourceSliceMaxDevices/2 - 1
		publish := func(pool string, all ...[]resourceapi.Device) {
			spec := resourceapi.ResourceSliceSpec{Pool: resourceapi.ResourcePool{Name: sim.Names[0] + "-" + pool}, NodeName: &sim.Names[0]}
			for _, half := range all {
				for _, device := range half {
					device.Attributes["pool"] = resourceapi.DeviceAttribute{StringValue: &pool}
					spec.Devices = append(spec.Devices, device)
				}
			}
			sim.CreateSlices(ctx, spec)
		}
		publish("first", fixture.Devices(exclusive...).Devices, fixture.SharedDevices(nil, shared...).Devices)
		publish("second", fixture.SharedDevices(nil, shared...).Devices, fixture.Devices(exclusive...).Devices)
		for _, pool := range []string{"first", "second"} {
			for _, i := range []int{0, last} {
				of := func(kind string) string {
					return fmt.Sprintf("device.attributes[%[1]q].pool == %[2]q && device.attributes[%[1]q].name == %[3]q", sim.Driver, pool, fmt.Sprintf("%s-%d", kind, i))
				}
				name := fmt.Sprintf("%s-%d", pool, i)
				for _, user := range []string{name + "-a", name + "-b"} {
					pods.CreateWithRequests(ctx, e, user, fixture.One(sim.Device(of("shared"))))
					waitForShares(ctx, e, user)
				}
				pods.CreateWithRequests(ctx, e, name, fixture.One(sim.Device(of("exclusive"))))
				pods.WaitForScheduled(ctx, e, name)
				gomega.Expect(claims.GetAllocation(ctx, e, name).Results[0].ShareID).To(gomega.BeNil(), "the device of claim %s, which is not shared, has no shares", name)
			}
		}
	},
}
