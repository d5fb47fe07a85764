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
// allocated immediately, and creates another one.
var classicImmediateClaimStaysAllocated = suite.Spec{
	ID:           "classic-immediate-claim-stays-allocated",
	Description:  "A claim that was allocated immediately stays allocated when no pod uses it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     earlierFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-immediate-stays"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.CreateEarlier(ctx, e, 1)
		c.CreateClaim(ctx, "claim", classic.Immediate)
		c.Allocate(ctx, "claim", c.Nodes...)
		c.CreatePod(ctx, "first", "claim")
		c.WaitForBound(ctx, "first", "its claim is allocated")
		pods.Delete(ctx, e, "first")
		c.WaitForClaim(ctx, "claim", "no pod uses the claim any more", reservedFor())
		c.ExpectClaimStays(ctx, "claim", "it was allocated immediately", staysAllocated)
		c.CreatePod(ctx, "second", "claim")
		c.WaitForBound(ctx, "second", "its claim is allocated still")
	},
}
