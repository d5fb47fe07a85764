// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeallocatable

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// nodeResourcesLimitDevices publishes two devices that stand for 20 cpus each on
// a node with 64. A pod without devices uses 35 cpus, and two pods request the
// devices. Then the first pod and the one that waits are deleted, and another one
// requests its device.
var nodeResourcesLimitDevices = suite.Spec{
	ID:          "node-resources-limit-devices",
	Description: "A device that stands for resources is allocated only on a node that has so much left.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    resourceFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Requirements: []string{
		"5517-enough-is-left",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createNode(ctx, e)
		createPool(ctx, sim, withResource(corev1.ResourceCPU, mapped("20"), "a", "b"))
		createPodWithCPUs(ctx, e, "busy", "35")
		pods.WaitForScheduled(ctx, e, "busy")
		pods.CreateWithRequests(ctx, e, "first", fixture.RequestFor(sim, "a"))
		pods.WaitForScheduled(ctx, e, "first")
		pods.CreateWithRequests(ctx, e, "second", fixture.RequestFor(sim, "b"))
		pods.WaitForUnschedulable(ctx, e, "second", "its device stands for 20 cpus, and the node has fewer left")

		// Whether a pod that itself requests no cpus is tried again is not what this is
		// about.
		pods.Delete(ctx, e, "busy", "second")
		pods.CreateWithRequests(ctx, e, "third", fixture.RequestFor(sim, "b"))
		pods.WaitForScheduled(ctx, e, "third")
	},
}
