// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
)

// statusHasItsOwnEndpoint writes an allocated claim in dry runs, each time with parts that
// are not of the endpoint: its status when it is created and updated, and the rest when
// its status is updated.
var statusHasItsOwnEndpoint = suite.Spec{
	ID:           "status-has-its-own-endpoint",
	Description:  "The API server stores the status of a claim only when it is written at the endpoint of the status, and nothing else there: a claim that is created is not allocated, an update does not deallocate it, and an update of the status changes neither its spec nor its metadata.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-status-is-a-subresource"},
	Body: func(ctx context.Context, e *env.Env) {
		allocateCards(ctx, e, "card")
		before := claims.Get(ctx, e, "card")
		created := &resourceapi.ResourceClaim{
			ObjectMeta: metav1.ObjectMeta{Name: "created", Namespace: e.Namespace, Labels: e.Labels}, Spec: before.Spec, Status: before.Status,
		}
		created, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Create(ctx, created, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the API server should accept a claim with a status and ignore the status")
		gomega.Expect(created.Status).To(gomega.Equal(resourceapi.ResourceClaimStatus{}), "a claim that is created with a status should have none")

		updated := expectAccepted(ctx, e, theClaim, "card", "its status", func(c *resourceapi.ResourceClaim) { c.Status = resourceapi.ResourceClaimStatus{} })
		gomega.Expect(updated.Status).To(gomega.Equal(before.Status), "an update of a claim should leave its status as it is")

		updated = expectAccepted(ctx, e, itsStatus, "card", "everything but its status", func(c *resourceapi.ResourceClaim) {
			annotate(c)
			c.Finalizers = append(c.Finalizers, addedFinalizer)
			c.Spec.Devices.Requests[0].Name = "other"
		})
		gomega.Expect(updated.Spec).To(gomega.Equal(before.Spec), "an update of the status of a claim should leave its spec as it is")
		expectKept(before.Labels, updated.Labels, "labels")
		expectKept(before.Annotations, updated.Annotations, "annotations")
		gomega.Expect(updated.Finalizers).To(gomega.ContainElements(before.Finalizers), "an update of the status of a claim should leave its finalizers as they are")
		gomega.Expect(updated.Finalizers).NotTo(gomega.ContainElement(addedFinalizer), "an update of the status of a claim should leave its finalizers as they are")
	},
}

// addedFinalizer is a finalizer that is not stored.
const addedFinalizer = "draconform.dev/kept"

// expectKept asserts that an update did not change what a claim had, and did not store the note
// of annotate. Something else in the cluster may add what it wants at any time.
func expectKept(before, after map[string]string, what string) {
	ginkgo.GinkgoHelper()
	for key, value := range before {
		gomega.Expect(after).To(gomega.HaveKeyWithValue(key, value), "an update of the status of a claim should leave its %s as they are", what)
	}
	gomega.Expect(after).NotTo(gomega.HaveKey(note), "an update of the status of a claim should leave its %s as they are", what)
}
