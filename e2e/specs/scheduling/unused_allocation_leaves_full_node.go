// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// unusedAllocationLeavesFullNode writes an allocation on the first of two nodes
// into a claim that nothing uses. A pod without claims leaves no room on this
// node for the pod with the claim.
var unusedAllocationLeavesFullNode = suite.Spec{
	ID:           "unused-allocation-leaves-full-node",
	Description:  "A claim that is allocated on a node without room for its pod, and not used, is deallocated, and allocated on another node.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-unused-is-moved"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := createUnused(ctx, e)
		mostOfNode := func(pod *corev1.PodSpec) {
			pod.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("40")}
		}
		_, err := pods.Create(ctx, e, "neighbour", pods.Options{Node: sim.Names[0], Change: mostOfNode})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		pods.WaitForScheduled(ctx, e, "neighbour")
		pods.CreateUsingClaims(ctx, e, "pod", pods.Options{Change: mostOfNode}, unused)
		expectMoved(ctx, e, sim)
	},
}
