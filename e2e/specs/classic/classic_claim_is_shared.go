// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicClaimIsShared creates three pods with the same claim and allocates it for
// the first.
var classicClaimIsShared = suite.Spec{
	ID:           "classic-claim-is-shared",
	Description:  "Several pods use an allocated claim at the same time.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-shared-at-once"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 1)
		first := createWithAllocatedClaim(ctx, c)
		c.WaitForBound(ctx, first.Name, "the claim is allocated")
		second, third := c.CreatePod(ctx, "second", "claim"), c.CreatePod(ctx, "third", "claim")
		c.WaitForBound(ctx, "second", "the claim can be shared")
		c.WaitForBound(ctx, "third", "the claim can be shared")
		c.WaitForClaim(ctx, "claim", "the claim should be reserved for all of its pods", reservedFor(first, second, third))
	},
}
