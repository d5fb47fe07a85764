// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicImmediateAllocationIsKept creates a pod for another node than that of a claim
// that was allocated immediately.
var classicImmediateAllocationIsKept = suite.Spec{
	ID:           "classic-immediate-allocation-is-kept",
	Description:  "The scheduler does not ask for the deallocation of a claim that was allocated immediately.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     earlierFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-keeps-immediate"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.CreateEarlier(ctx, e, 2)
		c.CreateClaim(ctx, "claim", classic.Immediate)
		c.Allocate(ctx, "claim", c.Nodes[0])
		c.CreatePod(ctx, "elsewhere", "claim", c.Nodes[1])
		c.WaitForUnschedulable(ctx, "elsewhere", "its claim is available on another node only")
		c.ExpectClaimStays(ctx, "claim", "it was allocated immediately", staysAllocated)
		c.CreatePod(ctx, "here", "claim", c.Nodes[0])
		c.WaitForBound(ctx, "here", "its claim is available on this node")
	},
}
