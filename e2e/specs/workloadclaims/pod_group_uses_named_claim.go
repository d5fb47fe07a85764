// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package workloadclaims

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// podGroupUsesNamedClaim creates a PodGroup that names a claim, and two pods of the group with
// the same entry. Then it deletes the pods, and then the group, while another pod waits for
// the device.
var podGroupUsesNamedClaim = suite.Spec{
	ID:           "pod-group-uses-named-claim",
	Description:  "A claim that a PodGroup names is reserved for the group instead of its pods. It stays allocated until the group is deleted, and exists after that.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     allocateClaims,
	Component:    env.Scheduler,
	Needs:        groupsOfTheSpec,
	Requirements: []string{"5729-named-claim", "5729-allocated-until-group-is-gone"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		_, err := claims.Create(ctx, e, "made", devices.NewDeviceClaim(fixture.AnyDevice(sim)))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		named := corev1.PodResourceClaim{Name: shared, ResourceClaimName: ptr.To("made")}
		createGroupWith(ctx, e, group, named)
		createMember(ctx, e, "first", named)
		createMember(ctx, e, "second", named)
		pods.WaitForScheduled(ctx, e, "first", "second")
		expectConsumers(ctx, e, "made", "the pod group names it", "podgroups/"+group)

		pods.CreateWithRequests(ctx, e, "waiting", fixture.AnyDevice(sim))
		pods.Delete(ctx, e, "first", "second")
		pods.WaitForUnschedulable(ctx, e, "waiting", "the claim of the pod group has the device")
		deleteGroup(ctx, e)
		claims.WaitForDeallocated(ctx, e, "made")
		pods.WaitForScheduled(ctx, e, "waiting")
	},
}
