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

// partitionCountersAcrossNodes publishes a pool whose slices are for two
// nodes. Only the slices of the first node have the counter set. A device of
// one node uses up the counter that a device of the other node needs, and the
// other way round.
var partitionCountersAcrossNodes = suite.Spec{
	ID:          "partition-counters-across-nodes",
	Description: "Devices of one pool on different nodes consume from the same counter set, in whichever ResourceSlice it is.",
	Profile:     profile,
	Features:    partitionFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Since:       "1.35",
	Requirements: []string{
		"4815-counters-of-the-pool",
		"4815-refused-without-counters",
		"4815-counters-across-claims",
		"4815-release-returns-counters",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		slices := loadPools("two-nodes").slices("pool", sim.Names[0], 1)
		slices[len(slices)-1].NodeName = &sim.Names[1]
		sim.CreateSlices(ctx, slices...)

		// The slices of its node alone are not a complete pool.
		pods.CreateWithRequests(ctx, e, "plain", fixture.RequestFor(sim, "plain"))
		pods.WaitForScheduled(ctx, e, "plain")
		pods.CreateWithRequests(ctx, e, "large", fixture.RequestFor(sim, "large"))
		pods.WaitForScheduled(ctx, e, "large")
		pods.CreateWithRequests(ctx, e, "small", fixture.RequestFor(sim, "small"))
		pods.WaitForUnschedulable(ctx, e, "small", "a device of another node uses up the counter set of their pool")
		pods.DeleteWithClaim(ctx, e, "large")
		pods.WaitForScheduled(ctx, e, "small")
		pods.CreateWithRequests(ctx, e, "again", fixture.RequestFor(sim, "large"))
		pods.WaitForUnschedulable(ctx, e, "again", "a device of another node has a part of the counter set of their pool")
	},
}
