// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package workloadclaims

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// podGroupHasSeveralClaims creates two PodGroups, of which the name of one begins with that
// of the other. Each has claims from two templates and names a third claim. It deletes the
// first group and its pod.
var podGroupHasSeveralClaims = suite.Spec{
	ID:           "pod-group-has-several-claims",
	Description:  "Each PodGroup has a claim for each of its entries, which is reserved for the group. When the group is deleted, claims of another group stay allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     allocateClaims,
	Component:    env.ControllerManager,
	Needs:        groupsOfTheSpec,
	Requirements: []string{"5729-claim-from-template", "5729-deleted-with-group"},
	Body: func(ctx context.Context, e *env.Env) {
		const other = group + "-1"
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-0", "card-1", "disk-0", "disk-1", "port-0", "port-1"))
		claimFor := func(device string) []devices.Request {
			return fixture.One(fixture.SubRequestFor(sim, device).Device)
		}
		claims.CreateTemplate(ctx, e, "cards", devices.NewDeviceClaim(claimFor("card")))
		claims.CreateTemplate(ctx, e, "disks", devices.NewDeviceClaim(claimFor("disk")))
		used := map[string][]string{}
		for _, name := range []string{group, other} {
			_, err := claims.Create(ctx, e, name, devices.NewDeviceClaim(claimFor("port")))
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
			entries := []corev1.PodResourceClaim{
				{Name: "card", ResourceClaimTemplateName: ptr.To("cards")},
				{Name: "port", ResourceClaimName: ptr.To(name)},
				{Name: "disk", ResourceClaimTemplateName: ptr.To("disks")},
			}
			createGroupWith(ctx, e, name, entries...)
			createMemberOf(ctx, e, name, "pod-of-"+name, "", entries...)
			pods.WaitForScheduled(ctx, e, "pod-of-"+name)
			used[name] = claimsOf(ctx, e, "pod-of-"+name, len(entries))
			for _, claim := range used[name] {
				expectConsumers(ctx, e, claim, "it is a claim of the pod group", "podgroups/"+name)
			}
		}
		pods.Delete(ctx, e, "pod-of-"+group)
		deleteGroup(ctx, e)
		claims.WaitForDeallocated(ctx, e, group)
		env.ExpectStable(ctx, e, func(ctx context.Context) (violation, checkErr error) {
			for _, name := range used[other] {
				claim, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, name, metav1.GetOptions{})
				if err != nil {
					return nil, err
				}
				if claim.Status.Allocation == nil || claim.DeletionTimestamp != nil {
					return fmt.Errorf("claim %s is not allocated or is deleted", name), nil
				}
			}
			return nil, nil
		}, "the claims of pod group %s should stay allocated, because only pod group %s was deleted", other, group)
		// The group is deleted at the end of the spec. Its claims may not be in use then.
		pods.Delete(ctx, e, "pod-of-"+other)
	},
}
