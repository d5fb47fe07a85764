// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package workloadclaims

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// podGroupClaimHasManyPods creates a PodGroup with a claim for a device of all
// nodes, and one pod more than a claim can be reserved for.
var podGroupClaimHasManyPods = suite.Spec{
	ID:           "pod-group-claim-has-many-pods",
	Description:  "More pods of a PodGroup than a claim can have consumers are scheduled with the claim of the group.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     allocateClaims,
	Component:    env.Scheduler,
	Needs:        groupsOfTheSpec,
	Requirements: []string{"5729-more-pods-than-consumers"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 4) // A node has room for 110 pods, including those of DaemonSets.
		sim.CreatePool(ctx, simulated.Pool{Name: "all"}, fixture.Devices("card"))
		createGroup(ctx, e, sim)
		claim := waitForGroupClaim(ctx, e)
		var members []string
		for i := range resourceapi.ResourceClaimReservedForMaxSize + 1 {
			members = append(members, fmt.Sprintf("member-%d", i))
			createMember(ctx, e, members[i], ofGroup)
		}
		pods.WaitForScheduled(ctx, e, members...)
		expectConsumers(ctx, e, claim.Name, "it is a claim of the pod group", "podgroups/"+group)
	},
}
