// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
)

// endpoint is an endpoint of the API by which a claim is updated.
type endpoint string

// The endpoints of claims.
const (
	theClaim  endpoint = "the claim"
	itsStatus endpoint = "its status"
)

// dryRunUpdate changes a claim in a dry run of an update by an endpoint. It returns the
// claim as the API server would store it.
func dryRunUpdate(ctx context.Context, e *env.Env, by endpoint, claim string, change func(*resourceapi.ResourceClaim)) (stored *resourceapi.ResourceClaim, err error) {
	ginkgo.GinkgoHelper()
	client, options := e.Client.ResourceV1().ResourceClaims(e.Namespace), metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}}
	err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		changed := claims.Get(ctx, e, claim)
		change(changed)
		if by == itsStatus {
			stored, err = client.UpdateStatus(ctx, changed, options)
		} else {
			stored, err = client.Update(ctx, changed, options)
		}
		return err
	})
	return stored, err
}

// expectRejected asserts that an update of a claim is rejected because of a field. what
// states what the update changes.
func expectRejected(ctx context.Context, e *env.Env, by endpoint, claim, field, what string, change func(*resourceapi.ResourceClaim)) {
	ginkgo.GinkgoHelper()
	_, err := dryRunUpdate(ctx, e, by, claim, change)
	gomega.Expect(dryrun.InvalidFields(err)).To(gomega.ContainElement(gomega.HavePrefix(field)), "the API server should reject an update of claim %s that changes %s, because of %s: %v", claim, what, field, err)
}

// expectAccepted asserts that an update of a claim is accepted. It returns the claim as
// the API server would store it.
func expectAccepted(ctx context.Context, e *env.Env, by endpoint, claim, what string, change func(*resourceapi.ResourceClaim)) *resourceapi.ResourceClaim {
	ginkgo.GinkgoHelper()
	stored, err := dryRunUpdate(ctx, e, by, claim, change)
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the API server should accept an update of claim %s that changes %s", claim, what)
	return stored
}

// reserve reserves a claim for a pod in addition to its consumers.
func reserve(status *resourceapi.ResourceClaimStatus) {
	status.ReservedFor = append(status.ReservedFor, resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: "other", UID: "other"})
}

// reserveForOther is reserve for a claim.
func reserveForOther(claim *resourceapi.ResourceClaim) { reserve(&claim.Status) }
