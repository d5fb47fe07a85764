// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicUnshareableClaimIsAwaited allocates a claim for one pod at a time, reserves it for
// a pod that no scheduler schedules, and creates another pod that uses it.
var classicUnshareableClaimIsAwaited = suite.Spec{
	ID:           "classic-unshareable-claim-is-awaited",
	Description:  "A pod is unschedulable while another one uses its claim whose allocation is not shareable, and is scheduled when the claim is free.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     earlierFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-awaits-not-shareable"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.CreateEarlier(ctx, e, 1)
		c.CreateClaim(ctx, "claim", classic.Immediate)
		c.AllocateForOne(ctx, "claim", c.Nodes...)
		user := c.CreateUnscheduledPod(ctx, "user", "claim")
		c.Reserve(ctx, "claim", user)
		c.CreatePod(ctx, "pod", "claim")
		c.WaitForUnschedulable(ctx, "pod", "only one pod can use the claim at a time")
		c.ExpectNotBound(ctx, "pod", "only one pod can use the claim at a time")
		c.Reserve(ctx, "claim")
		c.WaitForBound(ctx, "pod", "the claim is free")
	},
}
