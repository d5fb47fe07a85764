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

// podGroupClaimNeedsSameEntry creates a PodGroup with a claim from a template, and
// three pods of the group: one with the same entry, one with the template under
// another name, and one with another claim under the name of the entry. There are
// as many devices.
var podGroupClaimNeedsSameEntry = suite.Spec{
	ID:           "pod-group-claim-needs-same-entry",
	Description:  "A pod of a PodGroup uses the claim of the group only if its entry has the same name and refers to the same claim or template. Otherwise, the claim is the pod's own.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     allocateClaims,
	Component:    env.Scheduler,
	Needs:        groupsOfTheSpec,
	Requirements: []string{"5729-same-entry"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-1", "card-2", "card-3"))
		createGroup(ctx, e, sim)
		_, err := claims.Create(ctx, e, "made", devices.NewDeviceClaim(fixture.AnyDevice(sim)))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		createMember(ctx, e, "same", ofGroup)
		createMember(ctx, e, "other-name", corev1.PodResourceClaim{Name: "own", ResourceClaimTemplateName: ptr.To(template)})
		createMember(ctx, e, "other-claim", corev1.PodResourceClaim{Name: shared, ResourceClaimName: ptr.To("made")})
		pods.WaitForScheduled(ctx, e, "same", "other-name", "other-claim")
		expectConsumers(ctx, e, claimOf(ctx, e, "same"), "the entry of its pod is that of the pod group", "podgroups/"+group)
		expectConsumers(ctx, e, claimOf(ctx, e, "other-name"), "the entry of its pod has another name than that of the pod group", "pods/other-name")
		expectConsumers(ctx, e, "made", "the entry of its pod is for another claim than that of the pod group", "pods/other-claim")
	},
}
