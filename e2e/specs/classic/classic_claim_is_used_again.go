// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// classicClaimIsUsedAgain lets two pods use a claim one after the other.
var classicClaimIsUsedAgain = suite.Spec{
	ID:           "classic-claim-is-used-again",
	Description:  "A claim that was deallocated after its last pod is allocated again for the next one.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-shared-in-turn"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 1)
		first := createWithAllocatedClaim(ctx, c)
		c.WaitForBound(ctx, first.Name, "the claim is allocated")
		pods.Delete(ctx, e, first.Name)
		c.WaitForClaim(ctx, "claim", "no pod uses the claim any more", askedToDeallocate)
		c.Deallocate(ctx, "claim")
		next := c.CreatePod(ctx, "next", "claim")
		node := c.WaitForSelectedNode(ctx, "next", "the claim can be allocated again")
		c.Allocate(ctx, "claim", classic.AllocationOn(c.Driver("a"), node), next)
		c.WaitForBound(ctx, "next", "the claim is allocated again")
	},
}
