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

// podGroupClaimFollowsPods creates a PodGroup with a claim for a device, which each of two
// nodes has. While a pod of the group is on the first node, another one that may only run
// on the second node waits. When the group has no pods any more, such a pod is created
// again.
var podGroupClaimFollowsPods = suite.Spec{
	ID:           "pod-group-claim-follows-pods",
	Description:  "The claim of a PodGroup is allocated on another node if no pod of the group is scheduled, and those that exist can only run there. It stays where it is while a pod of the group is scheduled.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     allocateClaims,
	Component:    env.Scheduler,
	Needs:        groupsOfTheSpec,
	Requirements: []string{"5729-unschedulable-group-is-deallocated"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		for _, node := range sim.Names {
			sim.CreatePool(ctx, simulated.Pool{Node: node}, fixture.Devices("card"))
		}
		createGroup(ctx, e, sim)
		createMemberOf(ctx, e, group, "first", sim.Names[0], ofGroup)
		pods.WaitForScheduled(ctx, e, "first")
		claim := claimOf(ctx, e, "first")
		createMemberOf(ctx, e, group, "early", sim.Names[1], ofGroup)
		pods.WaitForPending(ctx, e, "the claim of its group has a device of the other node", "early")
		gomega.Expect(claims.GetNodesOfAllocation(ctx, e, claim, sim.Names)).To(gomega.Equal(sim.Names[:1]), "the claim of the pod group should stay on the node of a pod that uses it")
		pods.Delete(ctx, e, "first", "early")

		createMemberOf(ctx, e, group, "late", sim.Names[1], ofGroup)
		pods.WaitForScheduled(ctx, e, "late")
		gomega.Expect(claimOf(ctx, e, "late")).To(gomega.Equal(claim), "the next pod of the group should have the same claim")
		gomega.Expect(claims.GetNodesOfAllocation(ctx, e, claim, sim.Names)).To(gomega.Equal(sim.Names[1:]), "the claim of the pod group should be allocated on the only node that suits its pod")
	},
}
