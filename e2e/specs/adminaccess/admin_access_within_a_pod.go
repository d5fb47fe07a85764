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

// adminAccessWithinAPod creates pods with two claims. The first one is for one of two devices.
// The second one has admin access to this device, or to both of them.
var adminAccessWithinAPod = suite.Spec{
	ID:           "admin-access-within-a-pod",
	Description:  "A claim with admin access is allocated devices that another claim of the same pod is allocated at the same time, and different ones for each of its own requests.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     adminFeatures,
	Component:    env.Scheduler,
	Needs:        adminNeeds,
	Requirements: []string{"5018-devices-in-use", "5018-different-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		namespaces.AllowAdminAccess(ctx, e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-0", "card-1"))
		// Whether an ordinary claim gets a device to which an earlier claim of the pod has
		// admin access differs between schedulers, so that it comes first.
		pods.CreateWithClaims(ctx, e, "same", devices.NewDeviceClaim(fixture.RequestFor(sim, "card-0")), withAdminAccess(fixture.RequestFor(sim, "card-0")))
		pods.WaitForScheduled(ctx, e, "same")

		both := withAdminAccess(fixture.AnyDevice(sim))
		both.Requests[0].Exactly.Count = 2
		pods.CreateWithClaims(ctx, e, "both", devices.NewDeviceClaim(fixture.RequestFor(sim, "card-1")), both)
		pods.WaitForScheduled(ctx, e, "both")
		var names []string
		for _, result := range claims.GetAllocation(ctx, e, "both-1").Results {
			names = append(names, result.Device)
		}
		gomega.Expect(names).To(gomega.ConsistOf("card-0", "card-1"), "claim both-1 should have admin access to two different devices")
	},
}
