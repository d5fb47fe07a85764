// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicBoundPodChangesSelection selects a node for a pod with a pending claim, and binds the
// pod to another one.
var classicBoundPodChangesSelection = suite.Spec{
	ID:           "classic-bound-pod-changes-selection",
	Description:  "When a pod is bound to another node than the one that is selected in its PodSchedulingContext, that node is selected.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-bound-pod-selection"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 2)
		c.CreateClaim(ctx, "claim", c.Driver("a"), c.Class)
		pod := c.CreateUnscheduledPod(ctx, "pod", "claim")
		c.Ask(ctx, pod, c.Nodes[0], c.Nodes...)
		c.BindPod(ctx, "pod", c.Nodes[1])
		node := c.WaitForSelectedNode(ctx, "pod", "the pod is bound to another node", c.Nodes[0])
		gomega.Expect(node).To(gomega.Equal(c.Nodes[1]))
		c.Allocate(ctx, "claim", classic.AllocationOn(c.Driver("a"), node))
		c.WaitForClaim(ctx, "claim", "the claim should be reserved for the bound pod", reservedFor(pod))
	},
}
