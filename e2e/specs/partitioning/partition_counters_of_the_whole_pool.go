// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// partitionCountersOfTheWholePool publishes a pool with two counter sets in
// separate slices. Some devices use up one counter set, others consume from
// both. They are requested in both orders.
var partitionCountersOfTheWholePool = suite.Spec{
	ID:          "partition-counters-of-the-whole-pool",
	Description: "A device consumes counters of counter sets in any ResourceSlice of its pool, and of two counter sets if it lists two.",
	Profile:     profile,
	Features:    partitionFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Since:       "1.35",
	Requirements: []string{
		"4815-counters-of-the-pool",
		"4815-two-counter-sets-of-a-device",
		"4815-refused-without-counters",
		"4815-counters-across-claims",
		"4815-release-returns-counters",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		loadPools("two-counter-sets").publish(ctx, sim, sim.Names[0])

		for _, device := range []string{"left", "right"} {
			pods.CreateWithRequests(ctx, e, device, fixture.RequestFor(sim, device))
			pods.WaitForScheduled(ctx, e, device)
			pods.CreateWithRequests(ctx, e, "both", fixture.RequestFor(sim, "both-a"))
			pods.WaitForUnschedulable(ctx, e, "both", "it needs both counter sets, and device "+device+" uses up one of them")
			pods.DeleteWithClaim(ctx, e, "both")
			pods.DeleteWithClaim(ctx, e, device)
		}

		pods.CreateWithRequests(ctx, e, "both-a", fixture.RequestFor(sim, "both-a"))
		pods.CreateWithRequests(ctx, e, "both-b", fixture.RequestFor(sim, "both-b"))
		pods.WaitForScheduled(ctx, e, "both-a", "both-b")
		pods.CreateWithRequests(ctx, e, "left", fixture.RequestFor(sim, "left"))
		pods.CreateWithRequests(ctx, e, "right", fixture.RequestFor(sim, "right"))
		pods.WaitForAllUnschedulable(ctx, e, "devices that consume from two counter sets leave too little of both", "left", "right")
		pods.DeleteWithClaim(ctx, e, "both-a")
		pods.DeleteWithClaim(ctx, e, "both-b")
		pods.WaitForScheduled(ctx, e, "left", "right")
	},
}
