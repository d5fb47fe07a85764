// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceCountsForQuota creates a quota for three of an extended resource,
// and for more devices of its DeviceClass. It creates a claim for a device of the
// class, a pod that requests one of the resource, and in a dry run one for two.
var extendedResourceCountsForQuota = suite.Spec{
	ID:           "extended-resource-counts-for-quota",
	Description:  "Quotas for an extended resource and for the devices of its DeviceClass both count claims for these devices and pods that request the resource, each once.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsOwnNamespace},
	Since:        "1.35", // Quotas of 1.34 do not count claims for extended resources.
	Requirements: []string{"5004-quota"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-0", "card-1", "card-2"))
		class := sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		resource, ofClass := corev1.DefaultResourceRequestsPrefix+simulated.ExtendedResource(e, "card"), fixture.DevicesOfClass(class.Class)
		fixture.CreateQuota(ctx, e, map[corev1.ResourceName]int64{resource: 3, ofClass: 10})
		// From then on, the API server knows the class and the quota.
		fixture.ExpectQuotaExceeded(ctx, e, fixture.ClaimOfClass(class.Class, 4), "the quota is of three of the extended resource, and the claim is for four devices that provide it")

		_, err := claims.Create(ctx, e, "claim", devices.NewDeviceClaim(fixture.One(class)))
		gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the quota is of three, and the claim is for one")
		fixture.ExpectQuotaUsed(ctx, e, "the device of a claim", map[corev1.ResourceName]int64{resource: 1, ofClass: 1})
		createPod(ctx, e, "pod", simulated.ExtendedResource(e, "card"))
		pods.WaitForScheduled(ctx, e, "pod")
		fixture.ExpectQuotaUsed(ctx, e, "the extended resource of a pod, and the device that provides it, once", map[corev1.ResourceName]int64{resource: 2, ofClass: 2})
		gomega.Eventually(ctx, func(ctx context.Context) error {
			return pods.DryRunCreateWithResources(ctx, e, amounts{simulated.ExtendedResource(e, "card"): 2})
		}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Satisfy(apierrors.IsForbidden), "a pod that requests two should be rejected, because a claim and a pod leave one of the quota")
	},
}
