// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// slicesAreUpdatedInPlace updates the two slices of a pool to a new generation, one after the
// other, as drivers do: the first one has another device instead of one of its two. It requests
// devices before and after the second update.
var slicesAreUpdatedInPlace = suite.Spec{
	ID:           "slices-are-updated-in-place",
	Description:  "A slice that is updated has its new generation and its new devices only. While another slice of the pool has the older generation, no device of the pool is allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Since:        "1.35", // The scheduler of 1.34 uses incomplete pools.
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-slices-are-updated"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		node := sim.Names[0]
		pool := resourceapi.ResourcePool{Name: node, Generation: 1}
		sim.CreateSlices(ctx,
			resourceapi.ResourceSliceSpec{Pool: pool, NodeName: &node, Devices: fixture.Devices("stays", "leaves").Devices},
			resourceapi.ResourceSliceSpec{Pool: pool, NodeName: &node, Devices: fixture.Devices("other").Devices},
		)
		expect.SchedulerHasSeen(ctx, e, sim, "leaves", "other")
		pods.DeleteWithClaim(ctx, e, "leaves")
		pods.DeleteWithClaim(ctx, e, "other")

		sim.UpdateSlice(ctx, node, "stays", 2, fixture.Devices("stays", "comes").Devices)
		const because = "one of the two slices of the pool has a newer generation, and the other one has not"
		waiting := expect.PendingOnceSeen(ctx, e, "waiting", because, func(pod string) { createPodFor(ctx, e, sim, pod, "other") })
		createPodFor(ctx, e, sim, "first", "stays")
		createPodFor(ctx, e, sim, "second", "comes")
		createPodFor(ctx, e, sim, "former", "leaves")
		pods.WaitForAllUnschedulable(ctx, e, because, waiting, "first", "second", "former")

		sim.UpdateSlice(ctx, node, "other", 2, fixture.Devices("other").Devices)
		pods.WaitForScheduled(ctx, e, waiting, "first", "second")
		pods.WaitForUnschedulable(ctx, e, "former", "an update of its slice has removed its device")
	},
}
