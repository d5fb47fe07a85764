// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// partitionConstraintsConsumeNothing requests the four halves of two GPUs in
// one claim. One constraint demands a common parent of the first and the third
// request, and another one of the second and the fourth.
var partitionConstraintsConsumeNothing = suite.Spec{
	ID:           "partition-constraints-consume-nothing",
	Description:  "Partitions that the scheduler tries and rejects because of a constraint consume no counters for other requests of the claim.",
	Profile:      profile,
	Features:     partitionFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Since:        "1.36", // Before 1.36, the counters of such partitions are lost for the claim.
	Requirements: []string{"4815-constraints-consume-nothing"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, a100s(sim.Names[0], 2))
		half := deviceAt(sim, "3g.20gb@0", "3g.20gb@4")
		// Each pair uses up a GPU. The requests of a pair are not consecutive.
		pods.CreateWithRequests(ctx, e, "pairs", requestsFor(half, half, half, half), sameGPU(sim, "device-0", "device-2"), sameGPU(sim, "device-1", "device-3"))
		pods.WaitForScheduled(ctx, e, "pairs")
	},
}
