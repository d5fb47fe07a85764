// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// poolNewestGenerationCounts publishes a device in the first generation of a
// pool, and another one in the second generation, without deleting the first.
// Both devices are requested.
var poolNewestGenerationCounts = suite.Spec{
	ID:          "pool-newest-generation-counts",
	Description: "In a pool with ResourceSlices of two generations, only devices of the newer generation are allocated.",
	Profile:     profile,
	Smoke:       true,
	Features:    []features.Feature{features.Core},
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		node := sim.Names[0]
		sim.CreatePool(ctx, simulated.Pool{Node: node}, fixture.Devices("old"))
		sim.CreatePool(ctx, simulated.Pool{Node: node, Generation: 2}, fixture.Devices("new"))

		pods.CreateWithRequests(ctx, e, "new", fixture.RequestFor(sim, "new"))
		pods.WaitForScheduled(ctx, e, "new")
		pods.CreateWithRequests(ctx, e, "old", fixture.RequestFor(sim, "old"))
		pods.WaitForUnschedulable(ctx, e, "old", "its device is in an older generation of the pool")
	},
}
