// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeallocatable

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// nodeResourcesOfDevicesAreUsed publishes devices that stand for 20 cpus each on
// a node with 64. A pod uses two of them. Other pods request cpus without
// devices. Then the devices are released.
var nodeResourcesOfDevicesAreUsed = suite.Spec{
	ID:          "node-resources-of-devices-are-used",
	Description: "The resources for which the devices of a pod stand are used on its node, so that other pods do not get them, and are in the status of the pod.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    resourceFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Requirements: []string{
		"5517-devices-use-resources", "5517-in-the-status-of-pods", "5517-until-release",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createNode(ctx, e)
		createPool(ctx, sim, withResource(corev1.ResourceCPU, mapped("20"), "a", "b"))
		pods.CreateWithRequests(ctx, e, "devices", []devices.Request{{Name: "device", Device: sim.Device(""), Count: 2}})
		pods.WaitForScheduled(ctx, e, "devices")
		gomega.Expect(getNodeResources(ctx, e, "devices")).To(gomega.ConsistOf("claim devices of containers [workload]: 40 cpu"),
			"the status of the pod should have the 40 cpus of its two devices")

		createPodWithCPUs(ctx, e, "many", "30")
		createPodWithCPUs(ctx, e, "few", "10")
		pods.WaitForScheduled(ctx, e, "few")
		pods.WaitForUnschedulable(ctx, e, "many", "40 of the 64 cpus of the node are used by devices")

		pods.DeleteWithClaim(ctx, e, "devices")
		pods.WaitForScheduled(ctx, e, "many")
	},
}

// getNodeResources returns the resources that the claims of a pod use on its
// node, in words.
func getNodeResources(ctx context.Context, e *env.Env, name string) []string {
	ginkgo.GinkgoHelper()
	pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	var all []string
	for _, status := range pod.Status.NodeAllocatableResourceClaimStatuses {
		for _, m := range status.Mapping {
			all = append(all, fmt.Sprintf("claim %s of containers %v: %d %s", status.ResourceClaimName, status.Containers, m.Quantity.Value(), m.Name))
		}
	}
	return all
}
