// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceFailedBindingFreesDevices creates a pod that requests an extended
// resource and has a claim, whose allocation an admission policy rejects. When the
// scheduler has reported the failure, the pod is deleted, and another one requests the
// extended resource.
var extendedResourceFailedBindingFreesDevices = suite.Spec{
	ID:           "extended-resource-failed-binding-frees-devices",
	Description:  "When a pod cannot be bound because one of its claims cannot be allocated in the end, other pods can use the devices for its extended resources.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Requirements: []string{"5004-failure-frees-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		claim, err := claims.Create(ctx, e, "failing", devices.NewDeviceClaim(fixture.RequestFor(sim, "disk")))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		claims.RejectStatusUpdatesOf(ctx, e, claim)
		_, err = pods.Create(ctx, e, "failing", pods.Options{Change: func(pod *corev1.PodSpec) {
			pods.RequestResources(&pod.Containers[0], amounts{simulated.ExtendedResource(e, "card"): 1})
		}}, claim)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		pods.WaitForFailedBinding(ctx, e, "failing")
		pods.Delete(ctx, e, "failing")
		createPod(ctx, e, "next", simulated.ExtendedResource(e, "card"))
		waitForDevices(ctx, e, "next", "the pod for which it was chosen could not be bound", "card")
	},
}
