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

// partitionReleaseMakesRoomForOtherShapes divides a GPU into seven small
// partitions, and requests a large partition and the whole GPU. The small
// partitions are deleted one after the other.
var partitionReleaseMakesRoomForOtherShapes = suite.Spec{
	ID:          "partition-release-makes-room-for-other-shapes",
	Description: "The counters of small partitions are allocated as a large partition once all of the needed counters are released.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    partitionFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Requirements: []string{
		"4815-release-returns-counters",
		"4815-refused-without-counters",
		"4815-counters-across-claims",
		"4815-rest-stays-allocatable",
		"4815-whole-and-partitions-exclude-each-other",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, a100s(sim.Names[0], 1))
		small := func(slice int) string { return fmt.Sprintf("small-%d", slice) }
		const slices = 7
		var podNames []string
		for slice := range slices {
			podNames = append(podNames, small(slice))
			pods.CreateWithRequests(ctx, e, small(slice), fixture.One(deviceAt(sim, fmt.Sprintf("1g.5gb@%d", slice))))
		}
		pods.WaitForScheduled(ctx, e, podNames...)
		pods.CreateWithRequests(ctx, e, "large", fixture.One(deviceAt(sim, "4g.20gb@0")))
		pods.CreateWithRequests(ctx, e, "whole", fixture.One(deviceAt(sim, "whole")))
		pods.WaitForAllUnschedulable(ctx, e, "small partitions have all memory slices that it could start with", "large", "whole")

		for slice := range 3 {
			pods.DeleteWithClaim(ctx, e, small(slice))
		}
		pods.WaitForAllUnschedulable(ctx, e, "a small partition still has memory slice 3", "large", "whole")
		pods.DeleteWithClaim(ctx, e, small(3))
		pods.WaitForScheduled(ctx, e, "large")
		pods.WaitForUnschedulable(ctx, e, "whole", "partitions of the GPU are allocated")

		for slice := 4; slice < slices; slice++ {
			pods.DeleteWithClaim(ctx, e, small(slice))
		}
		pods.DeleteWithClaim(ctx, e, "large")
		pods.WaitForScheduled(ctx, e, "whole")
		pods.CreateWithRequests(ctx, e, "small", fixture.One(deviceAt(sim, "1g.5gb@6")))
		pods.WaitForUnschedulable(ctx, e, "small", "the whole GPU is allocated")
		pods.DeleteWithClaim(ctx, e, "whole")
		pods.WaitForScheduled(ctx, e, "small")
	},
}
