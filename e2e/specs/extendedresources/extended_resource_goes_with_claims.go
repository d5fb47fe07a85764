// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceGoesWithClaims creates two pods that request an extended resource
// and have a claim for a device of the same class. There are three devices.
var extendedResourceGoesWithClaims = suite.Spec{
	ID:           "extended-resource-goes-with-claims",
	Description:  "A pod can request extended resources and have claims, which are allocated together: different devices, or none.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Requirements: []string{"5004-with-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-0", "card-1", "card-2"))
		class := sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		create := func(name string) {
			claim, err := claims.Create(ctx, e, name, devices.NewDeviceClaim(fixture.One(class)))
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
			_, err = pods.Create(ctx, e, name, pods.Options{Change: func(pod *corev1.PodSpec) {
				pods.RequestResources(&pod.Containers[0], amounts{simulated.ExtendedResource(e, "card"): 1})
			}}, claim)
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
		}
		create("both")
		pods.WaitForScheduled(ctx, e, "both")
		extended, _ := pods.WaitForExtendedClaim(ctx, e, "both")
		all := append(audit.Allocated(extended), claims.GetDevicesForRequest(ctx, e, "both", "device")...)
		gomega.Expect(all).To(gomega.HaveLen(2), "pod both should have a device for its claim, and one for its extended resource")
		gomega.Expect(all[0]).NotTo(gomega.Equal(all[1]), "the claim and the extended resource of pod both should have different devices")
		create("late")
		pods.WaitForUnschedulable(ctx, e, "late", "it needs two devices, and one is free")
	},
}
