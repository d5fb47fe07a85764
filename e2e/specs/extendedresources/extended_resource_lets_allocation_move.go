// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceLetsAllocationMove writes an allocation on the first of two nodes into a
// claim that nothing uses. A pod with this claim may only run on the second node, and also
// requests an extended resource, which devices of that node provide.
var extendedResourceLetsAllocationMove = suite.Spec{
	ID:           "extended-resource-lets-allocation-move",
	Description:  "If a pod requests an extended resource and cannot run where its allocated claim is, and nothing uses the claim, it is deallocated and allocated where the pod can run.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Requirements: []string{"4381-scheduling-unused-is-moved"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		for _, node := range sim.Names {
			sim.CreatePool(ctx, simulated.Pool{Node: node}, fixture.Devices("card", "disk"))
		}
		sim.CreateExtendedResource(ctx, "disk", "disks", named(e, "disk"))
		unused, err := claims.Create(ctx, e, "unused", devices.NewDeviceClaim(fixture.RequestFor(sim, "card")))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		allocation := fixture.Allocation(sim.Driver, sim.Names[0], "device", "card")
		allocation.AllocationTimestamp = ptr.To(metav1.Now())
		gomega.Expect(claims.Allocate(ctx, e, "unused", allocation)).To(gomega.Succeed())

		_, err = pods.Create(ctx, e, "pod", pods.Options{Node: sim.Names[1], Change: func(pod *corev1.PodSpec) {
			pods.RequestResources(&pod.Containers[0], amounts{simulated.ExtendedResource(e, "disk"): 1})
		}}, unused)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		waitForDevices(ctx, e, "pod", "it is the only one of the node", "disk")
		gomega.Expect(claims.GetNodesOfAllocation(ctx, e, "unused", sim.Names)).To(gomega.Equal(sim.Names[1:]), "the claim should be allocated on the only node that suits the pod")
	},
}
