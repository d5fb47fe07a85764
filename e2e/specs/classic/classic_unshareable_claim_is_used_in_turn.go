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

// classicUnshareableClaimIsUsedInTurn allocates a claim for one pod at a time, and creates
// two pods that are bound without a scheduler.
var classicUnshareableClaimIsUsedInTurn = suite.Spec{
	ID:           "classic-unshareable-claim-is-used-in-turn",
	Description:  "A claim whose allocation is not shareable is reserved for pods that are bound without a scheduler one after the other.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     earlierFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-not-shareable-in-turn"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.CreateEarlier(ctx, e, 1)
		c.CreateClaim(ctx, "claim", classic.Immediate)
		c.AllocateForOne(ctx, "claim", c.Nodes...)
		first := c.CreateBoundPod(ctx, "first", c.Nodes[0], "claim")
		c.WaitForClaim(ctx, "claim", "the claim should be reserved for the bound pod", reservedFor(first))
		second := c.CreateBoundPod(ctx, "second", c.Nodes[0], "claim")
		c.ExpectClaimStays(ctx, "claim", "the first pod uses it", reservedFor(first))
		pods.Delete(ctx, e, "first")
		c.WaitForClaim(ctx, "claim", "the first pod is gone", reservedFor(second))
	},
}
