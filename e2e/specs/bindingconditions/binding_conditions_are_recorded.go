// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// bindingConditionsAreRecorded allocates a device with binding conditions and one
// without, and then changes the conditions in the ResourceSlice. Those of the
// allocation still count.
var bindingConditionsAreRecorded = suite.Spec{
	ID:           "binding-conditions-are-recorded",
	Description:  "An allocation has a copy of the conditions of each device at the time of the allocation. The pod waits for these, also if the device has others later.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     bindingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5007-conditions-are-recorded", "5007-recorded-conditions-count", "5007-time-of-allocation"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		pair := attempt{Devices: map[string]conditions{"card": nil, "plain-disk": nil}}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, publishedFor([]attempt{pair}))
		pods.CreateWithClaim(ctx, e, "pair", devices.NewDeviceClaim(pair.requests(sim)))
		for _, result := range claims.WaitForAllocation(ctx, e, "pair", "its devices are free").Results {
			expectRecorded(result, fabric("card").Devices[0])
		}
		expectPlausibleTime(ctx, e, "pair")

		sim.UpdateDevices(ctx, sim.Names[0], func(device *resourceapi.Device) bool {
			if device.Name == "card" {
				device.BindingConditions, device.BindingFailureConditions = []string{"draconform.dev/replaced"}, []string{attached}
			}
			return device.Name == "card"
		})
		expectWaiting(ctx, e, map[string]string{"pair": "the conditions at the time of its allocation are not true"})
		reportReady(ctx, e, "pair")
		pods.WaitForScheduled(ctx, e, "pair")
	},
}

// expectRecorded asserts the conditions in an allocation result. Those of the
// device card are those that it was published with, and other devices have none.
func expectRecorded(result resourceapi.DeviceRequestAllocationResult, card resourceapi.Device) {
	ginkgo.GinkgoHelper()
	binding, failure := gomega.BeEmpty(), gomega.BeEmpty()
	if result.Device == card.Name {
		binding, failure = gomega.Equal(card.BindingConditions), gomega.Equal(card.BindingFailureConditions)
	}
	gomega.Expect(result.BindingConditions).To(binding, "the allocation of device %s should have its binding conditions", result.Device)
	gomega.Expect(result.BindingFailureConditions).To(failure, "the allocation of device %s should have its binding failure conditions", result.Device)
}

// expectPlausibleTime asserts that the time of an allocation, if it is known, is
// about that at which the claim was created. The clocks of the components of a
// cluster may differ a little.
func expectPlausibleTime(ctx context.Context, e *env.Env, name string) {
	ginkgo.GinkgoHelper()
	claim := claims.Get(ctx, e, name)
	gomega.Expect(claim.Status.Allocation).NotTo(gomega.BeNil(), "claim %s should stay allocated", name)
	if at := claim.Status.Allocation.AllocationTimestamp; at != nil {
		gomega.Expect(at.Time).To(gomega.BeTemporally("~", claim.CreationTimestamp.Time, 5*time.Minute), "claim %s should have the time of its allocation, soon after its creation", name)
	}
}
