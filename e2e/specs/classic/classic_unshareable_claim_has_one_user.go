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

// classicUnshareableClaimHasOneUser allocates a claim for one pod at a time, and creates
// two pods that use it.
var classicUnshareableClaimHasOneUser = suite.Spec{
	ID:           "classic-unshareable-claim-has-one-user",
	Description:  "Pods use a claim whose allocation is not shareable one after the other.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     earlierFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-not-shareable"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.CreateEarlier(ctx, e, 1)
		c.CreateClaim(ctx, "claim", classic.Immediate)
		c.AllocateForOne(ctx, "claim", c.Nodes...)
		c.CreatePod(ctx, "first", "claim")
		c.WaitForBound(ctx, "first", "its claim is allocated")
		c.CreatePod(ctx, "second", "claim")
		c.ExpectNotBound(ctx, "second", "only one pod can use the claim at a time")
		pods.Delete(ctx, e, "first")
		c.WaitForBound(ctx, "second", "the claim is free")
	},
}
