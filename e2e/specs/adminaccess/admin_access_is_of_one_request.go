// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package adminaccess

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// adminAccessIsOfOneRequest creates a pod with one of two devices, and two claims
// that have a request with admin access and one without. The latter is for the
// device that is in use in the first claim, and for any device in the second.
var adminAccessIsOfOneRequest = suite.Spec{
	ID:           "admin-access-is-of-one-request",
	Description:  "Only requests with adminAccess get devices that are in use, and only their results have adminAccess, also if other requests of the claim lack it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     adminFeatures,
	Component:    env.Scheduler,
	Needs:        adminNeeds,
	Requirements: []string{"5018-of-one-request", "5018-recorded"},
	Body: func(ctx context.Context, e *env.Env) {
		namespaces.AllowAdminAccess(ctx, e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		createUsers(ctx, e, sim, "card")
		pods.CreateWithClaim(ctx, e, "refused", twoRequests(sim, "disk", "card"))
		pods.WaitForUnschedulable(ctx, e, "refused", "the device of its request without admin access is in use")
		pods.DeleteWithClaim(ctx, e, "refused")

		pods.CreateWithClaim(ctx, e, "both", twoRequests(sim, "card", ""))
		pods.WaitForScheduled(ctx, e, "both")
		want := map[string]bool{"monitor": true, "own": false}
		got := map[string]bool{}
		for _, result := range claims.GetAllocation(ctx, e, "both").Results {
			got[result.Request] = ptr.Deref(result.AdminAccess, false)
		}
		gomega.Expect(got).To(gomega.Equal(want), "the results of claim both should have adminAccess exactly if their requests have it")
	},
}

// twoRequests returns a claim with a request for admin access to a device, and
// one without for a device whose name begins with the given one.
func twoRequests(sim *simulated.Nodes, monitored, own string) resourceapi.DeviceClaim {
	claim := devices.NewDeviceClaim([]devices.Request{
		{Name: "monitor", Device: fixture.SubRequestFor(sim, monitored).Device}, {Name: "own", Device: fixture.SubRequestFor(sim, own).Device},
	})
	claim.Requests[0].Exactly.AdminAccess = ptr.To(true)
	claim.Requests[1].Exactly.AdminAccess = ptr.To(false)
	return claim
}
