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

// classicPodsWaitForOneClaim creates two pods with the same pending claim, and allocates it
// for one of them.
var classicPodsWaitForOneClaim = suite.Spec{
	ID:           "classic-pods-wait-for-one-claim",
	Description:  "Several pods wait for the same pending claim. When it is allocated for one of them, all run where it is available.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-waits-together"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 2)
		c.CreateClaim(ctx, "claim", c.Driver("a"), c.Class)
		first, second := c.CreatePod(ctx, "first", "claim"), c.CreatePod(ctx, "second", "claim")
		node := c.WaitForSelectedNode(ctx, "first", "one claim is pending")
		c.WaitForSelectedNode(ctx, "second", "one claim is pending for the second pod, too")
		c.Allocate(ctx, "claim", classic.AllocationOn(c.Driver("a"), node), first)
		for _, pod := range []string{"first", "second"} {
			gomega.Expect(c.WaitForBound(ctx, pod, "the claim is allocated, and can be shared")).To(gomega.Equal(node), "the claim is available on this node only")
			c.WaitForContextRemoved(ctx, pod, "the PodSchedulingContext of each pod should be deleted after the pod is bound")
		}
		c.WaitForClaim(ctx, "claim", "the claim should be reserved for both pods", reservedFor(first, second))
	},
}
