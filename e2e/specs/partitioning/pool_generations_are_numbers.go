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

// poolGenerationsAreNumbers publishes slices of two generations in each of four pools: 9
// and 10, the largest signed and unsigned numbers of 32 bits and the next ones, and the
// largest integer before which all are floating-point numbers of 64 bits and the next one.
var poolGenerationsAreNumbers = suite.Spec{
	ID:           "pool-generations-are-numbers",
	Description:  "The newer of two generations of a pool is the one with the larger number, whatever its digits are, also if it has more than 53 bits.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Requirements: []string{"4815-generations-are-numbers"},
	Body: func(ctx context.Context, e *env.Env) {
		kinds := []string{"digits", "int32", "uint32", "float64"}
		sim := simulated.CreateNodes(ctx, e, len(kinds))
		const older = "its device is in an older generation of the pool"
		pending := map[string]string{}
		for i, before := range []int64{9, math.MaxInt32, math.MaxUint32, 1 << 53} {
			kind, node := kinds[i], sim.Names[i]
			sim.CreatePool(ctx, simulated.Pool{Node: node, Generation: before}, fixture.Devices("old-"+kind))
			sim.CreatePool(ctx, simulated.Pool{Node: node, Generation: before + 1}, fixture.Devices("new-"+kind))
			pods.CreateWithRequests(ctx, e, "new-"+kind, fixture.RequestFor(sim, "new-"+kind))
			pods.WaitForScheduled(ctx, e, "new-"+kind)
			pods.CreateWithRequests(ctx, e, "old-"+kind, fixture.RequestFor(sim, "old-"+kind))
			pending["old-"+kind] = older
		}
		pods.WaitForEachUnschedulable(ctx, e, pending)
	},
}
