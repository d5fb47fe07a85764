// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// poolGenerationIsReset deletes the ResourceSlices of a pool after the scheduler has used
// it, and publishes the pool again with a lower generation, like a driver that is
// installed again.
var poolGenerationIsReset = suite.Spec{
	ID:           "pool-generation-is-reset",
	Description:  "Devices of a pool that was deleted and is published again with a lower generation are allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-generations-can-be-reset"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		node := sim.Names[0]
		sim.CreatePool(ctx, simulated.Pool{Node: node, Generation: 5}, fixture.Devices("before"))
		expect.SchedulerHasSeen(ctx, e, sim, "before")
		pods.DeleteWithClaim(ctx, e, "before")

		sim.DeleteSlices(ctx, node, 0)
		sim.CreatePool(ctx, simulated.Pool{Node: node, Generation: 1}, fixture.Devices("after"))
		pods.CreateWithRequests(ctx, e, "after", fixture.RequestFor(sim, "after"))
		pods.WaitForScheduled(ctx, e, "after")
	},
}
