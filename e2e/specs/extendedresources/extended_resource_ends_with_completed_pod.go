// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceEndsWithCompletedPod schedules two pods that request extended resources,
// one after the other, for whose devices two others wait. The first pod succeeds, and the
// second one fails. Neither is deleted.
var extendedResourceEndsWithCompletedPod = suite.Spec{
	ID:           "extended-resource-ends-with-completed-pod",
	Description:  "When a pod has succeeded or failed, the device that provided its extended resource provides it to a pod that waits, although the former pod still exists.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.ControllerManager,
	Since:        "1.35", // 1.34 considers only the claims that the spec of a pod has.
	Needs:        simulatedNodes,
	Requirements: []string{"5004-ends-with-completed-pod"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		for _, of := range []struct {
			device string
			phase  corev1.PodPhase
		}{{"card", corev1.PodSucceeded}, {"disk", corev1.PodFailed}} {
			device := of.device
			sim.CreateExtendedResource(ctx, device, device+"s", named(e, device))
			createPod(ctx, e, "first-"+device, simulated.ExtendedResource(e, device))
			waitForDevices(ctx, e, "first-"+device, "it is the only one", device)
			createPod(ctx, e, "next-"+device, simulated.ExtendedResource(e, device))
			pods.WaitForUnschedulable(ctx, e, "next-"+device, "the pod with its device has not completed")
			pods.SetPhase(ctx, e, "first-"+device, of.phase)
			waitForDevices(ctx, e, "next-"+device, "the pod that had it has completed", device)
		}
	},
}
