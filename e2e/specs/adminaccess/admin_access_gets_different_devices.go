// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package adminaccess

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// adminAccessGetsDifferentDevices creates pods with both devices, and then claims
// with admin access to two and to three devices, and to any device and one of the two,
// so that in one of these claims the first request has to leave the device that would
// come first.
var adminAccessGetsDifferentDevices = suite.Spec{
	ID:           "admin-access-gets-different-devices",
	Description:  "A request for admin access to several devices is allocated as many different devices, or none if there are fewer. One for any device does not get in the way of the others of its claim.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     adminFeatures,
	Component:    env.Scheduler,
	Needs:        adminNeeds,
	Requirements: []string{"4381-scheduling-any-combination", "5018-different-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		namespaces.AllowAdminAccess(ctx, e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-0", "card-1"))
		createUsers(ctx, e, sim, "card-0", "card-1")
		for pod, count := range map[string]int64{"two": 2, "three": 3} {
			claim := withAdminAccess(fixture.AnyDevice(sim))
			claim.Requests[0].Exactly.Count = count
			pods.CreateWithClaim(ctx, e, pod, claim)
		}
		for _, name := range []string{"card-0", "card-1"} {
			pods.CreateWithClaim(ctx, e, "any-and-"+name, withAdminAccess([]devices.Request{
				{Name: "any", Device: sim.Device("")}, {Name: "one", Device: fixture.RequestFor(sim, name)[0].Device},
			}))
		}
		pods.WaitForScheduled(ctx, e, "two", "any-and-card-0", "any-and-card-1")
		var names []string
		for _, result := range claims.GetAllocation(ctx, e, "two").Results {
			names = append(names, result.Device)
		}
		gomega.Expect(names).To(gomega.ConsistOf("card-0", "card-1"), "claim two should have admin access to two different devices")
		pods.WaitForUnschedulable(ctx, e, "three", "there are only two devices")
	},
}
