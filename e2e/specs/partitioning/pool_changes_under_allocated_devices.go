// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// poolChangesUnderAllocatedDevices replaces a pool with generations with fewer
// counters, once with fewer than a claim consumes, then more, while claims have
// devices of it. A claim for one more device is created in each of them. Then it
// deletes all slices of the pool, and publishes the pool again.
var poolChangesUnderAllocatedDevices = suite.Spec{
	ID:          "pool-changes-under-allocated-devices",
	Description: "Allocated devices keep consuming counters of the newest generation of their pool, also if it has fewer than they consume, or if all slices of the pool were deleted before. Their claims do not change.",
	Profile:     profile,
	Features:    partitionFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Since:       "1.35",
	Requirements: []string{
		"4815-counters-across-claims",
	},
	Body: func(ctx context.Context, e *env.Env) {
		described := loadPools("changes")
		sim := simulated.CreateNodes(ctx, e, 1)
		publish := func(pool string, generation int64) {
			slices := described.slices(pool, sim.Names[0], generation)
			for i := range slices {
				slices[i].Pool.Name = sim.Names[0]
			}
			sim.CreateSlices(ctx, slices...)
			if generation > 1 {
				sim.DeleteSlices(ctx, sim.Names[0], generation-1)
			}
		}
		publish("ten", 1)
		pods.CreateWithRequests(ctx, e, "first", fixture.RequestFor(sim, "four-a"))
		held := pods.WaitForScheduled(ctx, e, "first")

		publish("seven", 2)
		because := "the pool has become smaller, and claim first leaves too little of it"
		second := expect.PendingOnceSeen(ctx, e, "second", because, func(pod string) { pods.CreateWithRequests(ctx, e, pod, fixture.RequestFor(sim, "four-b")) })
		pods.WaitForUnschedulable(ctx, e, second, because)
		publish("three", 3)
		less := expect.PendingOnceSeen(ctx, e, "less", "the pool has fewer units than claim first has", func(pod string) {
			pods.CreateWithRequests(ctx, e, pod, fixture.RequestFor(sim, "four-c"))
		})
		pods.WaitForUnschedulable(ctx, e, second, "the pool has fewer units than claim first has")
		pods.DeleteWithClaim(ctx, e, less)
		publish("ten", 4)
		pods.WaitForScheduled(ctx, e, second)
		pods.CreateWithRequests(ctx, e, "third", fixture.RequestFor(sim, "four-c"))
		pods.WaitForUnschedulable(ctx, e, "third", "claims first and second leave too little")
		publish("twelve", 5)
		pods.WaitForScheduled(ctx, e, "third")
		sim.DeleteSlices(ctx, sim.Names[0], 0)
		fourth := expect.PendingOnceSeen(ctx, e, "fourth", "the slices of its pool were deleted", func(pod string) {
			pods.CreateWithRequests(ctx, e, pod, fixture.RequestFor(sim, "four-d"))
		})
		publish("again", 6)
		expect.SchedulerHasSeen(ctx, e, sim, "plain")
		pods.WaitForUnschedulable(ctx, e, fourth, "claims first, second and third have all units since before the slices of the pool were deleted")
		gomega.Expect(pods.WaitForScheduled(ctx, e, "first")).To(gomega.Equal(held), "a claim keeps its device when the pool changes")
	},
}
