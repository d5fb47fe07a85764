// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceUsedUpConstrainsNothing creates a pod with two claims. The first one gets all
// slots of a device. The second one prefers all devices of this name with as many slots to a
// device of another group, and has a constraint on the group.
var sharedDeviceUsedUpConstrainsNothing = suite.Spec{
	ID:           "shared-device-used-up-constrains-nothing",
	Description:  "A device that lacks the capacity for a subrequest, because another claim of the pod gets it, does not matter to the constraints of the claim: the next subrequest is allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append([]features.Feature{features.PrioritizedList}, sharedDeviceFeatures...),
	Component:    env.Scheduler,
	Since:        "1.36", // Earlier schedulers compare the next device with the one that they have rejected.
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsWholePools},
	Requirements: []string{"4816-skipped-alternatives-constrain-nothing"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fixture.Load(data, "nic.yaml")
		inventory.Devices = append(inventory.Devices, fixture.Devices("spare").Devices...)
		for i, group := range []string{"a", "b"} {
			inventory.Devices[i].Attributes["group"] = resourceapi.DeviceAttribute{StringValue: &group}
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		all := fixture.SubRequestFor(sim, "nic")
		all.All, all.Device.Capacity = true, slots(8)
		list := devices.NewDeviceClaim([]devices.Request{fixture.FirstAvailable("list", all, fixture.SubRequestFor(sim, "spare"))},
			resourceapi.DeviceConstraint{MatchAttribute: ptr.To(qualifiedName(sim, "group"))})
		pods.CreateWithClaims(ctx, e, "pod", devices.NewDeviceClaim(requestShare(sim, "nic", slots(8))), list)
		pods.WaitForScheduled(ctx, e, "pod")
		expect.AllocatedFor(ctx, e, "pod-1", "the other claim of the pod has all slots of the nic", "list/spare")
	},
}
