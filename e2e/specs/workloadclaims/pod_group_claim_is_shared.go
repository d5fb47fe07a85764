// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package workloadclaims

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// podGroupClaimIsShared creates a PodGroup with a claim for a device, and four pods that use
// the claim. Then it publishes one device on one of three nodes, so that a scheduler tries the
// pods one after the other, faster than it stores the allocation.
var podGroupClaimIsShared = suite.Spec{
	ID:           "pod-group-claim-is-shared",
	Description:  "The pods of a PodGroup are scheduled with the devices of the claim of the group, which is allocated once, and reserved for the group instead of its pods.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     allocateClaims,
	Component:    env.Scheduler,
	Needs:        groupsOfTheSpec,
	Requirements: []string{"5729-pods-share-the-claim", "5729-reserved-for-group"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 3)
		createGroup(ctx, e, sim)
		members := []string{"first", "second", "third", "last"}
		for _, member := range members {
			createMember(ctx, e, member, ofGroup)
		}
		pods.WaitForPending(ctx, e, "there is no device", members...)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[1]}, fixture.Devices("card"))
		pods.WaitForScheduled(ctx, e, members...)
		for _, member := range members {
			pods.ExpectOnNode(ctx, e, member, sim.Names[1], "this node has the device of the claim of its group")
		}
		expectConsumers(ctx, e, waitForGroupClaim(ctx, e).Name, "it is a claim of the pod group", "podgroups/"+group)
	},
}
