// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package workloadclaims

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// podGroupClaimEvictsMembers taints the device of the claim of a PodGroup, with two pods of
// the group that use the claim, and one that does not. Another pod has another device.
var podGroupClaimEvictsMembers = suite.Spec{
	ID:           "pod-group-claim-evicts-members",
	Description:  "When the device of a claim of a PodGroup gets a taint of the effect NoExecute, all pods of the group that use the claim are evicted, and no others.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append([]features.Feature{features.DeviceTaints}, allocateClaims...),
	Component:    env.ControllerManager,
	Needs:        groupsOfTheSpec,
	Requirements: []string{"5055-groups-are-evicted"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		createGroup(ctx, e, sim)
		createMember(ctx, e, "first", ofGroup)
		createMember(ctx, e, "second", ofGroup)
		pods.WaitForScheduled(ctx, e, "first", "second")
		sim.CreatePool(ctx, simulated.Pool{Name: "others", Node: sim.Names[0]}, fixture.Devices("disk"))
		pods.CreateWithRequests(ctx, e, "single", fixture.RequestFor(sim, "disk"))
		createMemberWithoutClaim(ctx, e, "without-claim")
		pods.WaitForScheduled(ctx, e, "single", "without-claim")

		sim.SetTaints(ctx, sim.Names[0], map[string][]resourceapi.DeviceTaint{"card": {fixture.NoExecute}})
		pods.WaitForDisrupted(ctx, e, "the device of the claim of their group has a taint of the effect NoExecute", "first", "second")
		pods.ExpectNotEvicted(ctx, e, "its device has no taint", "single")
		pods.ExpectNotEvicted(ctx, e, "it does not use the claim of its group", "without-claim")
		// The group is deleted before other objects, and its claim with it.
		for _, member := range []string{"first", "second"} {
			pods.DeleteByForce(ctx, e, member)
		}
	},
}
