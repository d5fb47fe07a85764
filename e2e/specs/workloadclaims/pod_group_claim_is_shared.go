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

// podGroupClaimIsShared publishes one device, and creates a PodGroup with a claim
// for it. Two pods use the claim.
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
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		createGroup(ctx, e, sim)
		createMember(ctx, e, "first", ofGroup)
		createMember(ctx, e, "second", ofGroup)
		pods.WaitForScheduled(ctx, e, "first", "second")
		expectConsumers(ctx, e, waitForGroupClaim(ctx, e).Name, "it is a claim of the pod group", "podgroups/"+group)
	},
}
