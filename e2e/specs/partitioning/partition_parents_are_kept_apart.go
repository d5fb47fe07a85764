// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// partitionParentsAreKeptApart allocates one half of each of two GPUs. Two
// more halves are requested with a constraint on one parent, and without it.
// Then a half is deleted, so that one GPU is free.
var partitionParentsAreKeptApart = suite.Spec{
	ID:          "partition-parents-are-kept-apart",
	Description: "Partitions that must have the same parent are unschedulable when each of two parents has room for one of them. Every parent has its own counters.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    partitionFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Requirements: []string{
		"4815-counter-sets-apart",
		"4815-rest-stays-allocatable",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, a100s(sim.Names[0], 2))
		halves := []string{"3g.20gb@0", "3g.20gb@4"}
		half := deviceAt(sim, halves...)
		for gpu := range 2 {
			pods.CreateWithRequests(ctx, e, fmt.Sprintf("half-%d", gpu), fixture.One(deviceOnGPU(sim, gpu, halves...)))
		}
		pods.WaitForScheduled(ctx, e, "half-0", "half-1")

		pods.CreateWithRequests(ctx, e, "together", requestsFor(half, half), sameGPU(sim))
		pods.WaitForUnschedulable(ctx, e, "together", "each of two GPUs has room for one of its two partitions, and it demands them of one")
		pods.CreateWithRequests(ctx, e, "apart", requestsFor(half, half))
		pods.WaitForScheduled(ctx, e, "apart")

		pods.DeleteWithClaim(ctx, e, "apart")
		pods.DeleteWithClaim(ctx, e, "half-0")
		pods.WaitForScheduled(ctx, e, "together")
	},
}
