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

// classicLastUserFreesClaim lets two pods use a claim and deletes one after the
// other.
var classicLastUserFreesClaim = suite.Spec{
	ID:           "classic-last-user-frees-claim",
	Description:  "When the last pod that a claim is reserved for is deleted, deallocation of the claim is requested. It is not while another pod uses it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-last-user"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 1)
		first := createWithAllocatedClaim(ctx, c)
		c.WaitForBound(ctx, first.Name, "the claim is allocated")
		second := c.CreatePod(ctx, "second", "claim")
		c.WaitForBound(ctx, "second", "the claim can be shared")
		pods.Delete(ctx, e, first.Name)
		c.WaitForClaim(ctx, "claim", "the first pod is gone", reservedFor(second))
		c.ExpectClaimStays(ctx, "claim", "the second pod uses it", reservedFor(second))
		pods.Delete(ctx, e, "second")
		c.WaitForClaim(ctx, "claim", "no pod uses the claim any more", askedToDeallocate)
	},
}
