// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeallocatable

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// nodeResourcesAddUp publishes a device that stands for 20 cpus and needs 10 more as an
// overhead, and one that stands for 10, on a node with 64. A pod has a claim for each. Other
// pods request cpus without devices.
var nodeResourcesAddUp = suite.Spec{
	ID:          "node-resources-add-up",
	Description: "The resources for which a device stands and its overhead are used on the node, and those of all claims of a pod, which are in the status of the pod.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    resourceFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Requirements: []string{
		"5517-devices-use-resources", "5517-enough-is-left", "5517-in-the-status-of-pods", "5517-overhead-of-each-pod",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createNode(ctx, e)
		with := mapped("20")
		with.Overhead = &resourceapi.NodeAllocatableOverhead{PerPod: ptr.To(resource.MustParse("10"))}
		inventory := withResource(corev1.ResourceCPU, with, "with-overhead")
		inventory.Devices = append(inventory.Devices, withResource(corev1.ResourceCPU, mapped("10"), "plain").Devices...)
		createPool(ctx, sim, inventory)
		pods.CreateWithClaims(ctx, e, "devices", devices.NewDeviceClaim(fixture.RequestFor(sim, "with-overhead")), devices.NewDeviceClaim(fixture.RequestFor(sim, "plain")))
		pods.WaitForScheduled(ctx, e, "devices")
		gomega.Expect(getNodeResources(ctx, e, "devices")).To(gomega.ConsistOf("claim devices-0 of containers [workload]: 20 cpu", "claim devices-1 of containers [workload]: 10 cpu"),
			"the status of the pod should have the cpus of the devices of both claims")
		createPodWithCPUs(ctx, e, "many", "25")
		createPodWithCPUs(ctx, e, "few", "5")
		pods.WaitForScheduled(ctx, e, "few")
		pods.WaitForUnschedulable(ctx, e, "many", "40 of the 64 cpus of the node are used for devices")
	},
}
