// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceLongAmountsAddUp shares a device whose capacity is four times the default of its
// policy. Both have more digits than a 64-bit number, so that a scheduler computes with
// numbers of another kind, which it may change where they are stored. Each of three pods needs
// two shares with the default.
var sharedDeviceLongAmountsAddUp = suite.Spec{
	ID:          "shared-device-long-amounts-add-up",
	Description: "Shares consume the default of a capacity also if it has more digits than a 64-bit number: each of them the same amount, until the capacity is used up.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    sharedDeviceFeatures,
	Component:   env.Scheduler,
	// Earlier schedulers change the default where they keep the ResourceSlice.
	Since:        "1.37",
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5075-default-amount", "5075-amounts-are-quantities"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fixture.Devices("nic")
		inventory.Devices[0].AllowMultipleAllocations = ptr.To(true)
		inventory.Devices[0].Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"rate": {
			Value:         resource.MustParse("4000000000.000000004"),
			RequestPolicy: &resourceapi.CapacityRequestPolicy{Default: ptr.To(resource.MustParse("1000000000.000000001"))},
		}}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		create := func(pod string) {
			pods.CreateWithRequests(ctx, e, pod, []devices.Request{{Name: "first", Device: sim.Device("")}, {Name: "second", Device: sim.Device("")}})
		}
		for _, pod := range []string{"first", "second"} {
			create(pod)
			pods.WaitForScheduled(ctx, e, pod)
		}
		create("third")
		pods.WaitForUnschedulable(ctx, e, "third", "the shares of the other pods consume the whole capacity")
		pods.DeleteWithClaim(ctx, e, "first")
		pods.WaitForScheduled(ctx, e, "third")
	},
}
