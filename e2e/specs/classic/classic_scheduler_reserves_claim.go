// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicSchedulerReservesClaim allocates a claim without a reservation and waits
// until its pod is bound.
var classicSchedulerReservesClaim = suite.Spec{
	ID:           "classic-scheduler-reserves-claim",
	Description:  "The scheduler reserves an allocated claim for a pod if its driver has not done so.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-scheduler-reserves"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 1)
		c.CreateClaim(ctx, "claim", c.Driver("a"), c.Class)
		pod := c.CreatePod(ctx, "pod", "claim")
		node := c.WaitForSelectedNode(ctx, "pod", "a node should be selected")
		c.Allocate(ctx, "claim", classic.AllocationOn(c.Driver("a"), node))
		c.WaitForBound(ctx, "pod", "its claim is allocated")
		c.WaitForClaim(ctx, "claim", "the claim of a bound pod should be reserved for it", reservedFor(pod))
	},
}
