// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"
	"slices"

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

// partitionAdminAccessHoldsNothing requests a device with admin access, and
// then the same device and its parts without. The claim with admin access is
// deleted while other claims have the devices. The same is done with a device
// without counters.
var partitionAdminAccessHoldsNothing = suite.Spec{
	ID:          "partition-admin-access-holds-nothing",
	Description: "A claim with admin access is allocated a device but consumes nothing: the device and its partitions stay available for other claims, also after the claim is deleted.",
	Profile:     profile,
	Features:    partitionFeatures,
	Component:   env.Scheduler,
	Needs:       append(slices.Clone(simulatedNodes), env.NeedsOwnNamespace),
	Since:       "1.36",
	Requirements: []string{
		"4815-admin-access-holds-nothing",
	},
	Body: func(ctx context.Context, e *env.Env) {
		namespaces.AllowAdminAccess(ctx, e)
		sim := simulated.CreateNodes(ctx, e, 1)
		loadPools("admin-access").publish(ctx, sim, sim.Names[0])
		start := func(pod, device string) {
			pods.CreateWithClaim(ctx, e, pod, devices.WithAdminAccess(devices.NewDeviceClaim(fixture.RequestFor(sim, device))))
		}
		start("monitor", "whole")
		pods.WaitForScheduled(ctx, e, "monitor")
		for _, result := range claims.GetAllocation(ctx, e, "monitor").Results {
			gomega.Expect(result.AdminAccess).To(gomega.HaveValue(gomega.BeTrue()), "the result for a request with admin access should have adminAccess set")
		}
		// Together, both need all counters that the monitored device would
		// consume.
		pods.CreateWithRequests(ctx, e, "left", fixture.RequestFor(sim, "left"))
		pods.CreateWithRequests(ctx, e, "right", fixture.RequestFor(sim, "right"))
		pods.WaitForScheduled(ctx, e, "left", "right")
		pods.CreateWithRequests(ctx, e, "whole", fixture.RequestFor(sim, "whole"))
		pods.WaitForUnschedulable(ctx, e, "whole", "its partitions are allocated, and it does not ask for admin access")
		// Removing a claim with admin access must not return counters.
		pods.DeleteWithClaim(ctx, e, "monitor")
		pods.CreateWithRequests(ctx, e, "again", fixture.RequestFor(sim, "whole"))
		pods.CreateWithRequests(ctx, e, "part", fixture.RequestFor(sim, "left"))
		pods.WaitForAllUnschedulable(ctx, e, "left and right are still allocated, whichever monitor has gone", "whole", "again", "part")
		pods.DeleteWithClaim(ctx, e, "again")
		pods.DeleteWithClaim(ctx, e, "part")

		pods.DeleteWithClaim(ctx, e, "left")
		pods.DeleteWithClaim(ctx, e, "right")
		pods.WaitForScheduled(ctx, e, "whole")
		// This device consumes no counters.
		pods.CreateWithRequests(ctx, e, "plain", fixture.RequestFor(sim, "plain"))
		pods.WaitForScheduled(ctx, e, "plain")
		start("second-monitor", "plain")
		pods.WaitForScheduled(ctx, e, "second-monitor")
		pods.DeleteWithClaim(ctx, e, "second-monitor")
		pods.CreateWithRequests(ctx, e, "late", fixture.RequestFor(sim, "plain"))
		pods.WaitForUnschedulable(ctx, e, "late", "claim plain still has the device, although its monitor has gone")
	},
}
