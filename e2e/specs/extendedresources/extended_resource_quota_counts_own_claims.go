// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceQuotaCountsOwnClaims creates a quota for two of an extended resource, a pod
// that requests one and that a scheduling gate holds back, and a claim that looks like that
// for the extended resources of the pod. A second claim of this kind is created in a dry run.
// The API server may observe the first one later.
var extendedResourceQuotaCountsOwnClaims = suite.Spec{
	ID:           "extended-resource-quota-counts-own-claims",
	Description:  "A quota for an extended resource counts claims of users that look like the claim for the extended resources of a pod, except for one claim of a pod.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsOwnNamespace},
	Since:        "1.36", // Quotas of 1.35 count none of these claims.
	Requirements: []string{"5004-quota-without-loophole"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		class := sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		card := simulated.ExtendedResource(e, "card")
		resource := corev1.DefaultResourceRequestsPrefix + card
		fixture.CreateQuota(ctx, e, map[corev1.ResourceName]int64{resource: 2})
		fixture.ExpectQuotaExceeded(ctx, e, fixture.ClaimOfClass(class.Class, 3), "the quota is of two of the extended resource")
		pod, err := pods.Create(ctx, e, "pod", pods.Options{Change: func(pod *corev1.PodSpec) {
			pod.SchedulingGates = []corev1.PodSchedulingGate{{Name: "draconform.dev/gate"}}
			pods.RequestResources(&pod.Containers[0], amounts{card: 1})
		}})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		fixture.ExpectQuotaUsed(ctx, e, "the extended resource of the pod", map[corev1.ResourceName]int64{resource: 1})

		create := func(name string, count int64, options metav1.CreateOptions) error {
			claim := &resourceapi.ResourceClaim{
				ObjectMeta: metav1.ObjectMeta{
					Name: name, Namespace: e.Namespace, Labels: e.Labels,
					Annotations:     map[string]string{resourceapi.ExtendedResourceClaimAnnotation: "true"},
					OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: ptr.To(true)}},
				},
				Spec: resourceapi.ResourceClaimSpec{Devices: fixture.ClaimOfClass(class.Class, count)},
			}
			_, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Create(ctx, claim, options)
			return err
		}
		gomega.Expect(create("first", 1, metav1.CreateOptions{})).To(gomega.Succeed(), "it may be the claim for the extended resources of the pod")
		gomega.Eventually(func() error { return create("second", 2, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}) }).WithContext(ctx).
			WithTimeout(e.Timeouts.Response).Should(gomega.Satisfy(apierrors.IsForbidden), "a second claim for two devices should be rejected, because it is not for the extended resources of the pod, and the pod leaves one of the quota")
	},
}
