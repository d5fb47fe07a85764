// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicAbsentDriverBlocksNoOthers creates a pod with a claim of a driver that
// does not exist, and then a pod without claims and one with a claim that is
// allocated.
var classicAbsentDriverBlocksNoOthers = suite.Spec{
	ID:           "classic-absent-driver-blocks-no-others",
	Description:  "A pod whose claim waits for a driver that does not answer stays pending, and other pods are scheduled meanwhile.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-blocks-no-others"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 1)
		c.CreateClaim(ctx, "abandoned", c.Driver("absent"), c.Class)
		c.CreatePod(ctx, "a-waiting", "abandoned")
		c.WaitForContext(ctx, "a-waiting", "the scheduler should ask the driver", func(classic.Context) error { return nil })
		c.CreatePod(ctx, "without-claim")
		c.WaitForBound(ctx, "without-claim", "it needs no claim")
		user := createWithAllocatedClaim(ctx, c)
		c.WaitForBound(ctx, user.Name, "its claim is allocated")
		c.ExpectNotBound(ctx, "a-waiting", "nobody allocates its claim")
	},
}
