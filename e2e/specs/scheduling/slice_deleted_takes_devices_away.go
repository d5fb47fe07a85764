// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sliceDeletedTakesDevicesAway deletes the ResourceSlice of a free device and of one that
// is allocated, and later publishes it again. Another slice of the node stays. In between, a
// second pod uses the claim for the allocated device.
var sliceDeletedTakesDevicesAway = suite.Spec{
	ID:           "slice-deleted-takes-devices-away",
	Description:  "A device is not allocated any more when its ResourceSlice is deleted, until it is published again. Devices of other slices stay available. What is allocated stays allocated, and further pods can use it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-deleted-slices-offer-nothing"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		node := sim.Names[0]
		spare := simulated.Pool{Name: node + "-spare", Node: node}
		sim.CreatePool(ctx, simulated.Pool{Node: node}, fixture.Devices("card"))
		sim.CreatePool(ctx, spare, fixture.Devices("disk", "tape"))
		createPodFor(ctx, e, sim, "holder", "tape")
		pods.WaitForScheduled(ctx, e, "holder")
		expect.SchedulerHasSeen(ctx, e, sim, "disk")
		pods.DeleteWithClaim(ctx, e, "disk")
		sim.DeleteSlices(ctx, spare.Name, 0)
		gone := expect.PendingOnceSeen(ctx, e, "gone", "the slice of its device was deleted", func(pod string) { createPodFor(ctx, e, sim, pod, "disk") })
		createPodFor(ctx, e, sim, "card", "card")
		pods.WaitForScheduled(ctx, e, "card")
		pods.CreateUsingClaims(ctx, e, "user", pods.Options{}, "holder")
		claims.WaitForConsumers(ctx, e, "holder", "a pod can use a claim that is allocated", 2)
		sim.CreatePool(ctx, spare, fixture.Devices("disk", "tape"))
		pods.WaitForScheduled(ctx, e, gone, "user")
		createPodFor(ctx, e, sim, "late", "tape")
		pods.WaitForUnschedulable(ctx, e, "late", "its device was allocated before its slice was deleted, and still is")
	},
}
