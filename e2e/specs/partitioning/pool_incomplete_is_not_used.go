// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// poolIncompleteIsNotUsed publishes a pool of three slices on each of three
// nodes. One slice of each pool is published late: the one with counters, the
// one with devices, or the empty one.
var poolIncompleteIsNotUsed = suite.Spec{
	ID:          "pool-incomplete-is-not-used",
	Description: "No device is allocated from a pool before all of its ResourceSlices exist, including those without devices.",
	Profile:     profile,
	Features:    partitionFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Since:       "1.35",
	Requirements: []string{
		"4815-complete-pools-only",
		"4815-slice-count-of-all-slices",
	},
	Body: func(ctx context.Context, e *env.Env) {
		described := loadPools("three-slices")
		sim := simulated.CreateNodes(ctx, e, 3)
		var podNames []string
		missing := make([]resourceapi.ResourceSliceSpec, len(sim.Names))
		for i, node := range sim.Names {
			// In each pool, a different slice is published late: the one with
			// counters, the one with devices, or the empty one.
			slices := described.slices("pool", node, 1)
			missing[i] = slices[i]
			for other, slice := range slices {
				if other != i {
					sim.CreateSlices(ctx, slice)
				}
			}
			podNames = append(podNames, fmt.Sprintf("pod-%d", i))
			createPodOnNode(ctx, e, sim, node, podNames[i], "plain")
		}
		pods.WaitForAllUnschedulable(ctx, e, "a slice of the pool on its node is missing", podNames...)
		for _, slice := range missing {
			sim.CreateSlices(ctx, slice)
		}
		pods.WaitForScheduled(ctx, e, podNames...)
	},
}
