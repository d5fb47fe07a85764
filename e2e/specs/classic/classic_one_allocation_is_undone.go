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

// classicOneAllocationIsUndone creates a pod with two claims that are allocated for different
// nodes, and does what the scheduler asks for.
var classicOneAllocationIsUndone = suite.Spec{
	ID:           "classic-one-allocation-is-undone",
	Description:  "If several claims of a pod are available on different nodes only, the scheduler asks for the deallocation of one of them, and the pod is scheduled where the other one is available.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-deallocates-one"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 2)
		nodes := allocateApart(ctx, c)
		pod := c.CreatePod(ctx, "pod", "claim-a", "claim-b")
		leaving, staying := waitForDeallocation(ctx, e, c, "the allocations for different nodes keep the pod from running anywhere")
		c.ExpectClaimStays(ctx, staying, "deallocation of the other claim is requested", staysAllocated)
		c.Deallocate(ctx, leaving)
		node := c.WaitForSelectedNode(ctx, "pod", "the claim can be allocated again")
		gomega.Expect(node).To(gomega.Equal(nodes[staying]), "the other claim is available on this node only")
		c.Allocate(ctx, leaving, classic.AllocationOn(c.Driver("a"), node), pod)
		gomega.Expect(c.WaitForBound(ctx, "pod", "both claims are allocated")).To(gomega.Equal(node))
	},
}
