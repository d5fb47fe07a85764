// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package adminaccess

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// adminAccessKeepsToConstraints creates pods with three devices, two of which have the
// same group. Claims request admin access to two devices of the same group.
var adminAccessKeepsToConstraints = suite.Spec{
	ID:           "admin-access-keeps-to-constraints",
	Description:  "Requests for admin access are only allocated devices that satisfy the constraints of their claim.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     adminFeatures,
	Component:    env.Scheduler,
	Needs:        adminNeeds,
	Requirements: []string{"5018-constraints-count"},
	Body: func(ctx context.Context, e *env.Env) {
		namespaces.AllowAdminAccess(ctx, e)
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fixture.Devices("first", "like", "unlike")
		for i, group := range []string{"a", "a", "b"} {
			inventory.Devices[i].Attributes["group"] = resourceapi.DeviceAttribute{StringValue: &group}
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		createUsers(ctx, e, sim, "first", "like", "unlike")
		for _, second := range []string{"like", "unlike"} {
			claim := withAdminAccess([]devices.Request{
				{Name: "first", Device: fixture.RequestFor(sim, "first")[0].Device}, {Name: "second", Device: fixture.RequestFor(sim, second)[0].Device},
			})
			claim.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: ptr.To(resourceapi.FullyQualifiedName(sim.Driver + "/group"))}}
			pods.CreateWithClaim(ctx, e, "monitor-"+second, claim)
		}
		pods.WaitForScheduled(ctx, e, "monitor-like")
		pods.WaitForUnschedulable(ctx, e, "monitor-unlike", "the devices of its requests have different groups")
	},
}
