// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

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
// a constraint. Then one of the groups is changed.
var constraintCoversAllDevices = suite.Spec{
	ID:           "constraint-covers-all-devices",
	Description:  "A constraint on a request for all devices applies to each of them. If they violate it, none are allocated.",
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
		all := devices.NewDeviceClaim(fixture.AnyDevice(sim), resourceapi.DeviceConstraint{MatchAttribute: ptr.To(resourceapi.FullyQualifiedName(ownName(sim, "group")))})
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
