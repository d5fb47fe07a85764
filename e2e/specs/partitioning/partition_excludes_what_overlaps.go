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

// partitionExcludesWhatOverlaps publishes one A100 for each possible placement
// of a partition, and allocates from each GPU the partition at this placement.
// After that, one pod for each GPU accepts any overlapping partition of the GPU
// or the whole GPU, and is unschedulable.
var partitionExcludesWhatOverlaps = suite.Spec{
	ID:          "partition-excludes-what-overlaps",
	Description: "Every profile of an A100 can be allocated at each of its placements, and every partition that overlaps with it is then unavailable.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    partitionFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Requirements: []string{
		"4815-counters-of-the-pool",
		"4815-refused-without-counters",
		"4815-counters-across-claims",
		"4815-counter-sets-apart",
		"4815-whole-and-partitions-exclude-each-other",
		"4815-requests-as-before",
	},
	Body: func(ctx context.Context, e *env.Env) {
		all, _ := placements()
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, a100s(sim.Names[0], len(all)))
		var holders []string
		for gpu, held := range all {
			holders = append(holders, fmt.Sprintf("held-%d", gpu))
			pods.CreateWithRequests(ctx, e, holders[gpu], fixture.One(deviceOnGPU(sim, gpu, held.name)))
		}
		pods.WaitForScheduled(ctx, e, holders...)

		var late []string
		for gpu, held := range all {
			overlapping := []string{"whole"}
			for _, other := range all {
				if held.overlaps(other) {
					overlapping = append(overlapping, other.name)
				}
			}
			late = append(late, fmt.Sprintf("late-%d", gpu))
			pods.CreateWithRequests(ctx, e, late[gpu], fixture.One(deviceOnGPU(sim, gpu, overlapping...)))
		}
		pods.WaitForAllUnschedulable(ctx, e, "each accepts only what overlaps with the partition that is allocated of its GPU", late...)
	},
}
