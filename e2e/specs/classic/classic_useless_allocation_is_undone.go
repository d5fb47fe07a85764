// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// classicUselessAllocationIsUndone allocates one of two claims of a pod for a node,
// reports this node as unsuitable for the other claim, and does what the scheduler
// asks for then.
var classicUselessAllocationIsUndone = suite.Spec{
	ID:           "classic-useless-allocation-is-undone",
	Description:  "If no node fits because a claim is available elsewhere only, the scheduler asks for its deallocation, and the pod is scheduled where all claims can be allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-deallocates-for-pod", "3063-withdraws-selection", "3063-reallocates"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 2)
		pod := createPodOfTwoDrivers(ctx, c)
		c.Answer(ctx, "pod", classic.Answer{Name: pods.ClaimOf(0)}, classic.Answer{Name: pods.ClaimOf(1)})
		first := c.WaitForSelectedNode(ctx, "pod", "all drivers have answered")
		c.Allocate(ctx, "claim-a", classic.AllocationOn(c.Driver("a"), first), pod)
		c.Answer(ctx, "pod", classic.Answer{Name: pods.ClaimOf(0)}, classic.Answer{Name: pods.ClaimOf(1), UnsuitableNodes: []string{first}})
		c.WaitForClaim(ctx, "claim-a", "the allocation for node "+first+" keeps the pod from running anywhere", askedToDeallocate)
		expectNoneSelected(ctx, e, c, "a driver would allocate the claim for that node again")
		c.Deallocate(ctx, "claim-a")
		second := c.WaitForSelectedNode(ctx, "pod", "the other node suits both drivers", first)
		c.Allocate(ctx, "claim-a", classic.AllocationOn(c.Driver("a"), second), pod)
		c.Allocate(ctx, "claim-b", classic.AllocationOn(c.Driver("b"), second), pod)
		gomega.Expect(c.WaitForBound(ctx, "pod", "both claims are allocated")).To(gomega.Equal(second))
	},
}
