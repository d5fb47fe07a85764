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
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// A simulated node has 64 cpus and 256 Gi of memory. What the specs request
// leaves room for what a cluster may add to pods.

// createNode creates a node that supports such devices.
func createNode(ctx context.Context, e *env.Env) *simulated.Nodes {
	ginkgo.GinkgoHelper()
	return simulated.CreateNodesWithFeatures(ctx, e, 1, "DRANodeAllocatableResources")
}

// createPool publishes devices of the node. They select it by a label, because
// an API server that has not yet observed the node rejects devices that name it.
func createPool(ctx context.Context, sim *simulated.Nodes, inventory *simulated.Inventory) {
	ginkgo.GinkgoHelper()
	createPoolNamed(ctx, sim, "node", inventory)
}

// createPoolNamed is [createPool] for a pool with this name.
func createPoolNamed(ctx context.Context, sim *simulated.Nodes, name string, inventory *simulated.Inventory) {
	ginkgo.GinkgoHelper()
	sim.CreatePool(ctx, simulated.Pool{Name: name, Selector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: sim.Names}},
	}}}}, inventory)
}

// withResource returns devices with these names that have a resource of their
// node.
func withResource(name corev1.ResourceName, of resourceapi.NodeAllocatableResource, names ...string) *simulated.Inventory {
	inventory := fixture.Devices(names...)
	for i := range inventory.Devices {
		inventory.Devices[i].NodeAllocatableResources = map[corev1.ResourceName]resourceapi.NodeAllocatableResource{name: of}
	}
	return inventory
}

// mapped returns the resource of devices that stand for an amount of it.
func mapped(amount string) resourceapi.NodeAllocatableResource {
	return resourceapi.NodeAllocatableResource{Mapping: &resourceapi.NodeAllocatableMapping{DeviceMultiplier: ptr.To(resource.MustParse(amount))}}
}

// createPodWithCPUs creates a pod without claims that requests cpus.
func createPodWithCPUs(ctx context.Context, e *env.Env, name, cpus string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("creating pod " + name + ", which requests " + cpus + " cpus")
	_, err := pods.Create(ctx, e, name, pods.Options{Change: func(pod *corev1.PodSpec) {
		pod.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpus)}
	}})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// expectLaterPodFirst asserts that a pod whose claim is allocated is not bound,
// although the scheduler has bound a later one.
func expectLaterPodFirst(ctx context.Context, e *env.Env, name, because string) {
	ginkgo.GinkgoHelper()
	createPodWithCPUs(ctx, e, "later", "1")
	pods.WaitForScheduled(ctx, e, "later")
	pods.ExpectNotBound(ctx, e, name, because)
}
