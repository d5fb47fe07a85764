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

// classicImmediateClaimStaysAllocated deletes the only pod that uses a claim that was
// allocated immediately, and creates another one. Both are bound without a scheduler.
var classicImmediateClaimStaysAllocated = suite.Spec{
	ID:           "classic-immediate-claim-stays-allocated",
	Description:  "A claim that was allocated immediately stays allocated when no pod uses it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     earlierFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-immediate-stays"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.CreateEarlier(ctx, e, 1)
		c.CreateClaim(ctx, "claim", classic.Immediate)
		c.Allocate(ctx, "claim", c.Nodes...)
		first := c.CreateBoundPod(ctx, "first", c.Nodes[0], "claim")
		c.WaitForClaim(ctx, "claim", "the claim should be reserved for the bound pod", reservedFor(first))
		pods.Delete(ctx, e, "first")
		c.WaitForClaim(ctx, "claim", "no pod uses the claim any more", reservedFor())
		c.ExpectClaimStays(ctx, "claim", "it was allocated immediately", staysAllocated)
		second := c.CreateBoundPod(ctx, "second", c.Nodes[0], "claim")
		c.WaitForClaim(ctx, "claim", "the claim is allocated still", reservedFor(second))
	},
}
