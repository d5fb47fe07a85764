// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// poolGenerationsAreNotMixed publishes four generations of a pool without
// deleting the previous ones. The second one lacks the counter set that its
// devices consume from, and the third one lacks a slice at first.
var poolGenerationsAreNotMixed = suite.Spec{
	ID:          "pool-generations-are-not-mixed",
	Description: "While a new generation of a pool is incomplete, no device of the pool is allocated, and the older generation does not complete the newer one.",
	Profile:     profile,
	Features:    partitionFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Since:       "1.35",
	Requirements: []string{
		"4815-one-generation",
		"4815-complete-pools-only",
	},
	Body: func(ctx context.Context, e *env.Env) {
		described, other := loadPools("three-slices"), loadPools("without-its-counters")
		sim := simulated.CreateNodes(ctx, e, 1)
		node := sim.Names[0]
		publish := func(generation int64, slices ...int) {
			all := described.slices("pool", node, generation)
			for _, i := range slices {
				sim.CreateSlices(ctx, all[i])
			}
		}
		const counters, devices, empty = 0, 1, 2
		publish(1, counters, devices, empty)
		sim.CreateSlices(ctx, other.slices("pool", node, 2)...)
		because := "the counter set that its device names is in the older generation alone"
		first := expect.PendingOnceSeen(ctx, e, "first", because, func(pod string) { pods.CreateWithRequests(ctx, e, pod, fixture.RequestFor(sim, "half-a")) })
		pods.WaitForUnschedulable(ctx, e, first, because)

		publish(3, devices, empty)
		expect.PublishLaterSlice(ctx, e, sim, node, "third-seen")
		pods.WaitForUnschedulable(ctx, e, first, "the newest generation is not complete, and the older ones do not count")
		publish(3, counters)
		pods.WaitForScheduled(ctx, e, first)

		publish(4, counters, devices, empty)
		expect.PublishLaterSlice(ctx, e, sim, node, "fourth-seen")
		pods.CreateWithRequests(ctx, e, "second", fixture.RequestFor(sim, "half-b"))
		pods.WaitForScheduled(ctx, e, "second")
		pods.CreateWithRequests(ctx, e, "third", fixture.RequestFor(sim, "half-c"))
		pods.WaitForUnschedulable(ctx, e, "third", "claims first and second, of two generations, use up its counters")
	},
}
