// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"errors"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicDriverWaitsForLastUser reserves a claim for two pods, deletes it, and removes one
// reservation after the other. The claim also has a finalizer of another component.
var classicDriverWaitsForLastUser = suite.Spec{
	ID:           "classic-driver-waits-for-last-user",
	Description:  "A driver deallocates a deleted claim when no pod uses it any more, not before, and removes its own finalizer only.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicAllocator},
	Requirements: []string{"3063-last-user-of-deleted", "3063-own-finalizer"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.UseDriver(ctx, e, 1)
		d.CreateClaims(ctx, "claim")
		first, second := d.CreateUnscheduledPod(ctx, "first", "claim"), d.CreateUnscheduledPod(ctx, "second", "claim")
		d.Ask(ctx, first, d.Nodes[0])
		d.WaitForClaim(ctx, "claim", "a node is selected for the first pod", d.AllocatedOn(d.Nodes[0]))
		d.SelectNode(ctx, "first", "") // The driver would allocate the claim again.
		d.Reserve(ctx, "claim", first, second)
		d.Keep(ctx, "claim")
		d.DeleteClaim(ctx, "claim")
		d.ExpectClaimStays(ctx, "claim", "two pods use it", d.AllocatedOn(d.Nodes[0]))
		d.Reserve(ctx, "claim", second)
		d.ExpectClaimStays(ctx, "claim", "the second pod uses it", d.AllocatedOn(d.Nodes[0]))
		d.Reserve(ctx, "claim")
		d.WaitForClaim(ctx, "claim", "no pod uses it any more", func(claim classic.Claim) error {
			return errors.Join(classic.Pending(claim), classic.OnlyKept(claim))
		})
		d.LetGo(ctx, "claim")
		d.WaitForClaimRemoved(ctx, "claim", "the driver has removed its finalizer")
	},
}
