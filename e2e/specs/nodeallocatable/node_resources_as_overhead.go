// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeallocatable

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// nodeResourcesAsOverhead publishes two devices that need 150 Gi of memory for
// each pod on a node with 256 Gi. Pods use one device each, and then a pod uses
// the claim of another one.
var nodeResourcesAsOverhead = suite.Spec{
	ID:          "node-resources-as-overhead",
	Description: "The overhead of a device is used on the node for each pod that uses its claim.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    resourceFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Requirements: []string{
		"5517-overhead-of-each-pod",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createNode(ctx, e)
		overhead := resourceapi.NodeAllocatableResource{Overhead: &resourceapi.NodeAllocatableOverhead{PerPod: ptr.To(resource.MustParse("150Gi"))}}
		createPool(ctx, sim, withResource(corev1.ResourceMemory, overhead, "a", "b"))
		pods.CreateWithRequests(ctx, e, "first", fixture.RequestFor(sim, "a"))
		pods.WaitForScheduled(ctx, e, "first")

		pods.CreateWithRequests(ctx, e, "second", fixture.RequestFor(sim, "b"))
		pods.CreateUsingClaims(ctx, e, "shares", pods.Options{}, "first")
		pods.WaitForUnschedulable(ctx, e, "second", "the overhead of its device is more than the node has left")
		expectLaterPodFirst(ctx, e, "shares", "the overhead of the device of its claim is needed for each pod")
	},
}
