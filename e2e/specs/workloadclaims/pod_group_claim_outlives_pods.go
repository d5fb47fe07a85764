// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package workloadclaims

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// podGroupClaimOutlivesPods creates a PodGroup with a claim for the only device,
// and one pod after the other that uses the claim. A pod without a group waits for
// the device, until the group is deleted.
var podGroupClaimOutlivesPods = suite.Spec{
	ID:           "pod-group-claim-outlives-pods",
	Description:  "The claim of a PodGroup stays allocated while none of the pods of the group exists, so that the next one gets the same devices. When the group is deleted, the devices are free.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     allocateClaims,
	Component:    env.ControllerManager,
	Needs:        groupsOfTheSpec,
	Requirements: []string{"5729-allocated-until-group-is-gone"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		createGroup(ctx, e, sim)
		createMember(ctx, e, "first", ofGroup)
		pods.WaitForScheduled(ctx, e, "first")
		claim := claimOf(ctx, e, "first")
		pods.CreateWithRequests(ctx, e, "waiting", fixture.AnyDevice(sim))
		pods.Delete(ctx, e, "first")
		const because = "the claim of the pod group has the device"
		pods.WaitForUnschedulable(ctx, e, "waiting", because)
		gomega.Expect(claims.GetAllocation(ctx, e, claim).Results).To(gomega.HaveLen(1), "the claim of the pod group should stay allocated without pods")

		createMember(ctx, e, "second", ofGroup)
		pods.WaitForScheduled(ctx, e, "second")
		gomega.Expect(claimOf(ctx, e, "second")).To(gomega.Equal(claim), "the next pod of the group should have the same claim")
		pods.Delete(ctx, e, "second")
		pods.WaitForUnschedulable(ctx, e, "waiting", because)
		deleteGroup(ctx, e)
		pods.WaitForScheduled(ctx, e, "waiting")
	},
}
