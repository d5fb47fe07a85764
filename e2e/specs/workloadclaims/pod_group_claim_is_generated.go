// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package workloadclaims

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// podGroupClaimIsGenerated creates a PodGroup with a claim from a template, and two
// pods with the same entry. Then it deletes the pods, and after that the group. The
// claim need not be allocated meanwhile.
var podGroupClaimIsGenerated = suite.Spec{
	ID:           "pod-group-claim-is-generated",
	Description:  "For an entry of a PodGroup with a template, one claim is created. Its controller is the group, and its annotation has the name of the entry. The status of the group and of each of its pods with this entry has the name of the claim. The claim is deleted with the group, and not with the pods.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     claimFeatures,
	Component:    env.ControllerManager,
	Needs:        groupsOfTheSpec,
	Requirements: []string{"5729-claim-from-template", "5729-claim-of-group", "5729-pods-name-the-claim", "5729-deleted-with-group"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		created := createGroup(ctx, e, sim)
		createMember(ctx, e, "first", ofGroup)
		createMember(ctx, e, "second", ofGroup)
		claim := waitForGroupClaim(ctx, e)
		owner := metav1.GetControllerOf(claim)
		gomega.Expect(owner).NotTo(gomega.BeNil(), "claim %s should have a controller", claim.Name)
		gomega.Expect(*owner).To(gomega.And(gomega.HaveField("Kind", "PodGroup"), gomega.HaveField("Name", group), gomega.HaveField("UID", created.UID)), "the controller of claim %s should be the pod group", claim.Name)
		gomega.Expect(claim.Annotations).To(gomega.HaveKeyWithValue(resourceapi.PodResourceClaimAnnotation, shared), "claim %s should name the entry", claim.Name)
		for _, pod := range []string{"first", "second"} {
			waitForClaimInStatus(ctx, e, pod, claim.Name)
		}
		all, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).List(ctx, metav1.ListOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		gomega.Expect(all.Items).To(gomega.HaveLen(1), "the pods should have no claims of their own")

		pods.Delete(ctx, e, "first", "second")
		expectClaimStays(ctx, e, claim.Name)
		deleteGroup(ctx, e)
		claims.WaitForCollected(ctx, e, claim.Name, "its pod group is deleted")
	},
}

// waitForClaimInStatus waits until the status of a pod names a claim.
func waitForClaimInStatus(ctx context.Context, e *env.Env, name, claim string) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) ([]string, error) {
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		return pods.ClaimNames(pod), nil
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.ConsistOf(claim), "the status of pod %s should name the claim of the pod group", name)
}

// expectClaimStays asserts for a while that a claim is not deleted.
func expectClaimStays(ctx context.Context, e *env.Env, name string) {
	ginkgo.GinkgoHelper()
	env.ExpectStable(ctx, e, func(ctx context.Context) (violation, checkErr error) {
		claim, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err), err == nil && claim.DeletionTimestamp != nil:
			return fmt.Errorf("claim %s is deleted", name), nil
		}
		return nil, err
	}, "claim %s should stay, because the pod group exists", name)
}
