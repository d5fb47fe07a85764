// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// poolNewestGenerationCountsOnAllNodes publishes a pool with a device on each of two
// nodes, and a second generation with a device on the second node only, without deleting
// the first. The device of the first node is requested. A third generation has it again.
var poolNewestGenerationCountsOnAllNodes = suite.Spec{
	ID:           "pool-newest-generation-counts-on-all-nodes",
	Description:  "A device of an older generation of a pool is not allocated on a node for which the newest generation has no devices.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.Scheduler,
	Since:        "1.35", // The scheduler of 1.34 looks at the slices of the node only.
	Needs:        simulatedNodes,
	Requirements: []string{"4815-newest-generation-on-all-nodes"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		slice := func(generation, slices int64, node int, device string) resourceapi.ResourceSliceSpec {
			return resourceapi.ResourceSliceSpec{
				Pool:     resourceapi.ResourcePool{Name: "pool", Generation: generation, ResourceSliceCount: slices},
				NodeName: &sim.Names[node], Devices: fixture.Devices(device).Devices,
			}
		}
		sim.CreateSlices(ctx, slice(1, 2, 0, "first"), slice(1, 2, 1, "second"))
		expect.SchedulerHasSeen(ctx, e, sim, "first")
		pods.DeleteWithClaim(ctx, e, "first")
		sim.CreateSlices(ctx, slice(2, 1, 1, "newer"))
		expect.SchedulerHasSeen(ctx, e, sim, "newer")

		pods.CreateWithRequests(ctx, e, "late", fixture.RequestFor(sim, "first"))
		pods.WaitForUnschedulable(ctx, e, "late", "the newest generation of the pool does not have its device")
		sim.CreateSlices(ctx, slice(3, 2, 0, "first"), slice(3, 2, 1, "second"))
		pods.WaitForScheduled(ctx, e, "late")
	},
}
