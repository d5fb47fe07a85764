// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicBoundPodGetsAllocation creates a pod with a node and two pending claims, and
// allocates the claims without a reservation.
var classicBoundPodGetsAllocation = suite.Spec{
	ID:           "classic-bound-pod-gets-allocation",
	Description:  "For a pod that is bound without a scheduler, a PodSchedulingContext has its node as the selected one, and nothing else. All claims are reserved for the pod when they are allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-bound-pod-context", "3063-bound-pod-reserved"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 2)
		c.CreateClaim(ctx, "claim", c.Driver("a"), c.Class)
		c.CreateClaim(ctx, "second", c.Driver("b"), c.Class)
		pod := c.CreateBoundPod(ctx, "pod", c.Nodes[1], "claim", "second")
		c.WaitForSelectedNode(ctx, "pod", "the pod is bound to a node", "")
		found, err := c.GetContext(ctx, "pod")
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		gomega.Expect(found.Spec.SelectedNode).To(gomega.Equal(c.Nodes[1]))
		owner := metav1.GetControllerOf(&found.Metadata)
		gomega.Expect(owner).NotTo(gomega.BeNil(), "drivers ignore a PodSchedulingContext that its pod does not own")
		gomega.Expect(owner.UID).To(gomega.Equal(pod.UID), "drivers ignore a PodSchedulingContext that its pod does not own")
		gomega.Expect(found.Spec.PotentialNodes).To(gomega.BeEmpty(), "the choice of the node is final")
		c.Allocate(ctx, "claim", classic.AllocationOn(c.Driver("a"), c.Nodes[1]))
		c.Allocate(ctx, "second", classic.AllocationOn(c.Driver("b"), c.Nodes[1]))
		c.WaitForClaim(ctx, "claim", "the claim should be reserved for the bound pod", reservedFor(pod))
		c.WaitForClaim(ctx, "second", "the second claim should be reserved for the bound pod", reservedFor(pod))
	},
}
