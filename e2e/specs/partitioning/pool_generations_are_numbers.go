// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"
	"math"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// poolGenerationsAreNumbers publishes slices of two generations in each of two pools:
// 9 and 10, and the largest number of 32 bits and the next one.
var poolGenerationsAreNumbers = suite.Spec{
	ID:           "pool-generations-are-numbers",
	Description:  "The newer of two generations of a pool is the one with the larger number, whatever its digits are, up to 64 bits.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Requirements: []string{"4815-generations-are-numbers"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		for i, before := range []int64{9, math.MaxInt32} {
			kind, node := []string{"digits", "bits"}[i], sim.Names[i]
			sim.CreatePool(ctx, simulated.Pool{Node: node, Generation: before}, fixture.Devices("old-"+kind))
			sim.CreatePool(ctx, simulated.Pool{Node: node, Generation: before + 1}, fixture.Devices("new-"+kind))
			pods.CreateWithRequests(ctx, e, "new-"+kind, fixture.RequestFor(sim, "new-"+kind))
			pods.WaitForScheduled(ctx, e, "new-"+kind)
			pods.CreateWithRequests(ctx, e, "old-"+kind, fixture.RequestFor(sim, "old-"+kind))
		}
		const older = "its device is in an older generation of the pool"
		pods.WaitForEachUnschedulable(ctx, e, map[string]string{"old-digits": older, "old-bits": older})
	},
}
