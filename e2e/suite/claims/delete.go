// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/env"
)

// WaitForDeleted waits until a claim is removed from the API. It does not
// delete the claim.
func WaitForDeleted(ctx context.Context, e *env.Env, claim, because string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until claim %s is removed", claim))
	gomega.Eventually(ctx, func(ctx context.Context) error { return CheckDeleted(ctx, e, claim) }).
		WithTimeout(e.Timeouts.Deletion).Should(gomega.Succeed(), "claim %s should be removed, because %s", claim, because)
}

// WaitForCollected is [WaitForDeleted] for a claim whose owner is removed. The garbage
// collector deletes it, which has the objects of the whole cluster to look after: it may take
// longer than components that delete an object or remove its finalizers.
func WaitForCollected(ctx context.Context, e *env.Env, claim, because string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until claim %s is removed with its owner", claim))
	gomega.Eventually(ctx, func(ctx context.Context) error { return CheckDeleted(ctx, e, claim) }).
		WithTimeout(e.Timeouts.Deletion+e.Timeouts.PodStart).Should(gomega.Succeed(), "claim %s should be removed, because %s", claim, because)
}

// Delete deletes a claim whose pods are already removed, and waits until it is
// removed.
func Delete(ctx context.Context, e *env.Env, claim string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("deleting claim " + claim)
	DeleteWithoutWaiting(ctx, e, claim)
	WaitForDeleted(ctx, e, claim, "no pod uses it")
}

// FreeDeleted does what kube-controller-manager does with a deleted claim whose pods are
// removed: it deallocates the claim and removes its finalizers. A spec that judges another
// component does not depend on it then. Nothing is wrong if kube-controller-manager is
// faster.
func FreeDeleted(ctx context.Context, e *env.Env, claim string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("freeing the deleted claim " + claim)
	gomega.Eventually(ctx, func(ctx context.Context) error {
		if err := free(ctx, e, claim); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		return CheckDeleted(ctx, e, claim)
	}).WithTimeout(e.Timeouts.Deletion).Should(gomega.Succeed(), "a deleted claim without finalizers should be removed")
}

// free removes the reservations, the allocation and the finalizers of a claim.
func free(ctx context.Context, e *env.Env, claim string) error {
	err := updateStatus(ctx, e, claim, func(status *resourceapi.ResourceClaimStatus) { *status = resourceapi.ResourceClaimStatus{} })
	if err != nil {
		return err
	}
	claims := e.Client.ResourceV1().ResourceClaims(e.Namespace)
	got, err := claims.Get(ctx, claim, metav1.GetOptions{})
	if err != nil || len(got.Finalizers) == 0 {
		return err
	}
	got.Finalizers = nil
	_, err = claims.Update(ctx, got, metav1.UpdateOptions{})
	return err
}

// WaitForDeallocated waits until claims that no pod uses are deallocated and
// not reserved.
func WaitForDeallocated(ctx context.Context, e *env.Env, claimNames ...string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until claims %v are deallocated", claimNames))
	gomega.Eventually(ctx, func(ctx context.Context) error {
		existing, err := getEach(ctx, e, claimNames)
		if err != nil {
			return err
		}
		var errs []error
		for _, name := range claimNames {
			claim, ok := existing[name]
			switch {
			case !ok:
				errs = append(errs, fmt.Errorf("claim %s does not exist", name))
			case claim.Status.Allocation != nil || len(claim.Status.ReservedFor) > 0:
				errs = append(errs, fmt.Errorf("claim %s is still allocated %v and reserved for %v", name, audit.Allocated(claim), claim.Status.ReservedFor))
			}
		}
		return errors.Join(errs...)
	}).WithTimeout(e.Timeouts.Deletion).Should(gomega.Succeed(), "claims of pods that have ended should be deallocated")
}

// DeleteWithoutWaiting deletes a claim and does not wait until it is removed.
func DeleteWithoutWaiting(ctx context.Context, e *env.Env, claim string) {
	ginkgo.GinkgoHelper()
	gomega.Expect(e.Client.ResourceV1().ResourceClaims(e.Namespace).Delete(ctx, claim, metav1.DeleteOptions{})).To(gomega.Succeed())
	e.Deleted("ResourceClaim", claim)
}

// CheckDeleted returns an error that lists those of the claims that still exist.
func CheckDeleted(ctx context.Context, e *env.Env, names ...string) error {
	if len(names) == 0 {
		return nil
	}
	existing, err := getEach(ctx, e, names)
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(existing)) {
		claim := existing[name]
		errs = append(errs, fmt.Errorf("claim %s still exists: finalizers %v, reserved for %v", name, claim.Finalizers, claim.Status.ReservedFor))
	}
	return errors.Join(errs...)
}
