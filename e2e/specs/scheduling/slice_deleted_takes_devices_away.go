// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sliceDeletedTakesDevicesAway deletes the ResourceSlice of a free device, and later
// publishes it again. Another slice of the node stays.
var sliceDeletedTakesDevicesAway = suite.Spec{
	ID:           "slice-deleted-takes-devices-away",
	Description:  "A device is not allocated any more when its ResourceSlice is deleted, until it is published again. Devices of other slices stay available.",
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
		sim.CreatePool(ctx, spare, fixture.Devices("disk"))
		expect.SchedulerHasSeen(ctx, e, sim, "disk")
		pods.DeleteWithClaim(ctx, e, "disk")
		sim.DeleteSlices(ctx, spare.Name, 0)
		gone := expect.PendingOnceSeen(ctx, e, "gone", "the slice of its device was deleted", func(pod string) { createPodFor(ctx, e, sim, pod, "disk") })
		createPodFor(ctx, e, sim, "card", "card")
		pods.WaitForScheduled(ctx, e, "card")
		sim.CreatePool(ctx, spare, fixture.Devices("disk"))
		pods.WaitForScheduled(ctx, e, gone)
	},
}
