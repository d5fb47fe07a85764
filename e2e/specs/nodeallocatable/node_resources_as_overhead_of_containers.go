// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeallocatable

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// nodeResourcesAsOverheadOfContainers publishes devices that need 70 Gi of memory
// for each container on a node with 256 Gi. Two of the three containers of a pod
// use a device. Then there is room for one more container with a device, and not
// for two.
var nodeResourcesAsOverheadOfContainers = suite.Spec{
	ID:          "node-resources-as-overhead-of-containers",
	Description: "The overhead of a device for containers is used on the node for each container that uses its claim, and for no others.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    resourceFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Requirements: []string{
		"5517-overhead-of-each-container",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createNode(ctx, e)
		overhead := resourceapi.NodeAllocatableResource{Overhead: &resourceapi.NodeAllocatableOverhead{PerContainer: ptr.To(resource.MustParse("70Gi"))}}
		createPool(ctx, sim, withResource(corev1.ResourceMemory, overhead, "a", "b", "c"))
		createWithThreeContainers(ctx, e, sim, "first", "a")
		pods.WaitForScheduled(ctx, e, "first")

		pods.CreateWithRequests(ctx, e, "second", fixture.RequestFor(sim, "b"))
		pods.WaitForScheduled(ctx, e, "second")
		pods.CreateWithRequests(ctx, e, "third", fixture.RequestFor(sim, "c"))
		pods.WaitForUnschedulable(ctx, e, "third", "three containers use devices with an overhead, and the node has less left than that of one more")
	},
}

// createWithThreeContainers creates a pod with a claim of the same name for a
// device. Two of its three containers use the claim.
func createWithThreeContainers(ctx context.Context, e *env.Env, sim *simulated.Nodes, name, device string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("creating pod " + name + ", of whose three containers two use its claim")
	claim, err := claims.Create(ctx, e, name, devices.NewDeviceClaim(fixture.RequestFor(sim, device)))
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	_, err = pods.Create(ctx, e, name, pods.Options{Change: func(pod *corev1.PodSpec) {
		user, other := *pod.Containers[0].DeepCopy(), *pod.Containers[0].DeepCopy()
		user.Name, other.Name, other.Resources.Claims = "user", "other", nil
		pod.Containers = append(pod.Containers, user, other)
	}}, claim)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}
