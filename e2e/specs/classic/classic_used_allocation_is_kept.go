// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"errors"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// classicUsedAllocationIsKept lets a pod use a claim on one node, and creates
// another pod with this claim and one that cannot be allocated there.
var classicUsedAllocationIsKept = suite.Spec{
	ID:           "classic-used-allocation-is-kept",
	Description:  "The scheduler does not ask for the deallocation of a claim that another pod uses.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-keeps-used"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 2)
		user := createWithAllocatedClaim(ctx, c)
		node := c.WaitForBound(ctx, user.Name, "its claim is allocated")
		c.CreateClaim(ctx, "other", c.Driver("b"), c.Class)
		c.CreatePod(ctx, "second", "claim", "other")
		c.WaitForContext(ctx, "second", "the scheduler should ask the driver", func(classic.Context) error { return nil })
		c.Answer(ctx, "second", classic.Answer{Name: pods.ClaimOf(1), UnsuitableNodes: []string{node}})
		c.ExpectClaimStays(ctx, "claim", "pod user uses the claim", func(claim classic.Claim) error {
			if claim.Status.DeallocationRequested {
				return errors.New("deallocation of the claim is requested")
			}
			return reservedFor(user)(claim)
		})
		c.ExpectNotBound(ctx, "second", "its claims cannot be on the same node")
	},
}
