// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// constraintCoversAllDevices publishes two devices on each of two nodes, with the
// same group and with different groups. Pods request all devices of their node, with
// a constraint: by one request, or by one for a device and one for all others. Then one
// of the groups is changed.
var constraintCoversAllDevices = suite.Spec{
	ID:           "constraint-covers-all-devices",
	Description:  "A constraint on a request for all devices applies to each of them, and to the devices of other requests. If they violate it, none are allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsWholePools},
	Requirements: []string{"4381-scheduling-constraint-on-each-device"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		for i, groups := range [][]string{{"a", "a"}, {"a", "b"}} {
			inventory := fixture.Devices("first", "second")
			for j := range inventory.Devices {
				inventory.Devices[j].Attributes["group"] = resourceapi.DeviceAttribute{StringValue: &groups[j]}
			}
			sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[i]}, inventory)
		}
		constraint := resourceapi.DeviceConstraint{MatchAttribute: ptr.To(resourceapi.FullyQualifiedName(ownName(sim, "group")))}
		for _, order := range [][]string{{"first", "second"}, {"second", "first"}} {
			expectOneAndAllAlike(ctx, e, sim, constraint, order)
		}
		all := devices.NewDeviceClaim(fixture.AnyDevice(sim), constraint)
		all.Requests[0].Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
		pods.CreateWithClaimOnNode(ctx, e, "alike", sim.Names[0], all)
		pods.CreateWithClaimOnNode(ctx, e, "unlike", sim.Names[1], all)
		gomega.Expect(pods.WaitForScheduled(ctx, e, "alike")).To(gomega.HaveLen(2), "the claim should be allocated all devices of its node")
		pods.WaitForPending(ctx, e, "the devices of its node have different groups", "unlike")
		sim.UpdateDevices(ctx, sim.Names[1], func(device *resourceapi.Device) bool {
			device.Attributes["group"] = resourceapi.DeviceAttribute{StringValue: ptr.To("c")}
			return true
		})
		gomega.Expect(pods.WaitForScheduled(ctx, e, "unlike")).To(gomega.HaveLen(2), "the claim should be allocated all devices of its node")
	},
}

// expectOneAndAllAlike creates a pod on each node whose claim has requests with a constraint in
// this order: one for the first device, and one for all other devices, of which there is one.
// They are alike on the first node only.
func expectOneAndAllAlike(ctx context.Context, e *env.Env, sim *simulated.Nodes, constraint resourceapi.DeviceConstraint, order []string) {
	ginkgo.GinkgoHelper()
	var requests []devices.Request
	for _, name := range order {
		requests = append(requests, devices.Request{Name: name, Device: fixture.RequestFor(sim, name)[0].Device})
	}
	claim := devices.NewDeviceClaim(requests, constraint)
	for i, name := range order {
		if name == "second" {
			claim.Requests[i].Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
		}
	}
	alike, unlike := order[0]+"-alike", order[0]+"-unlike"
	pods.CreateWithClaimOnNode(ctx, e, alike, sim.Names[0], claim)
	pods.CreateWithClaimOnNode(ctx, e, unlike, sim.Names[1], claim)
	pods.WaitForScheduled(ctx, e, alike)
	pods.WaitForPending(ctx, e, "the device of its other request has another group", unlike)
	pods.DeleteWithClaim(ctx, e, alike)
	pods.DeleteWithClaim(ctx, e, unlike)
}
