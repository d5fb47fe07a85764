// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// resizeLeavesClaims creates a pod with a claim for which there is no device. In dry runs, it
// resizes the container that uses the claim, and tries to change the claims of the container
// and of the pod.
var resizeLeavesClaims = suite.Spec{
	ID:           "resize-leaves-claims",
	Description:  "A pod whose container uses a claim can be resized in place. Neither a resize nor an update changes which claims the container and the pod use.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.Cluster,
	Since:        "1.37", // Earlier API servers reject all resizes of such a pod.
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-resize-with-claims", "4381-claims-of-pods-are-immutable"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		claim, err := claims.Create(ctx, e, "card", devices.NewDeviceClaim(fixture.RequestFor(sim, "card")))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		before, err := pods.Create(ctx, e, "pod", pods.Options{Change: func(pod *corev1.PodSpec) {
			pod.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("20m")}
		}}, claim)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())

		after, err := pods.DryRunPatch(ctx, e, "pod", ofContainer(`"requests": {"cpu": "10m"}`), "resize")
		gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the API server should accept a resize of a pod whose container uses a claim")
		resized := after.Spec.Containers[0].Resources
		gomega.Expect(resized.Requests.Cpu().String()).To(gomega.Equal("10m"), "a resize of the pod should change the CPU that the container requests")
		gomega.Expect(resized.Claims).To(gomega.Equal(before.Spec.Containers[0].Resources.Claims), "a resize of the pod should leave the claims of the container as they are")
		for _, change := range []struct{ what, of string }{
			{"removes the claims of the container", `"claims": null`},
			{"names a request of the claim", `"claims": [{"name": "` + pods.ClaimOf(0) + `", "request": "device"}]`},
		} {
			expectSameClaims(ctx, e, before, "a resize that "+change.what, ofContainer(change.of), "resize")
			expectSameClaims(ctx, e, before, "an update that "+change.what, ofContainer(change.of))
		}
		expectSameClaims(ctx, e, before, "an update that names another claim", `{"spec": {"resourceClaims": [{"name": "`+pods.ClaimOf(0)+`", "resourceClaimName": "other"}]}}`)
	},
}

// ofContainer returns a patch of the resources of the first container of a pod.
func ofContainer(resources string) string {
	return `{"spec": {"containers": [{"name": "` + pods.MainContainer + `", "resources": {` + resources + `}}]}}`
}

// expectSameClaims asserts that the API server rejects a patch of a pod, or would store the
// claims of the pod and of its container as they are.
func expectSameClaims(ctx context.Context, e *env.Env, before *corev1.Pod, what, patch string, subresources ...string) {
	ginkgo.GinkgoHelper()
	after, err := pods.DryRunPatch(ctx, e, before.Name, patch, subresources...)
	if err != nil {
		gomega.Expect(err).To(gomega.Satisfy(apierrors.IsInvalid), "the API server should reject %s as invalid, because claims are immutable", what)
		return
	}
	gomega.Expect(after.Spec.ResourceClaims).To(gomega.Equal(before.Spec.ResourceClaims), "%s should not change the claims of the pod", what)
	gomega.Expect(after.Spec.Containers[0].Resources.Claims).To(gomega.Equal(before.Spec.Containers[0].Resources.Claims), "%s should not change the claims of the container", what)
}
