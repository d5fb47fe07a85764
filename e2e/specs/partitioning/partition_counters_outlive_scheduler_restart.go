// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/components"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// partitionCountersOutliveSchedulerRestart allocates one of four partitions, of which two
// fit at the same time, and restarts the scheduler. Two pods request other partitions then,
// and one of them waits until the first partition is released.
var partitionCountersOutliveSchedulerRestart = suite.Spec{
	ID:           "partition-counters-outlive-scheduler-restart",
	Description:  "After a restart, the scheduler knows how much of a counter the devices of allocated claims consume, and returns it when they are released.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     partitionFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsScheduler},
	Requirements: []string{"4815-counters-across-claims", "4815-release-returns-counters"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, unitDevices(2, 4))
		pods.CreateWithRequests(ctx, e, "before", fixture.RequestFor(sim, "part-0"))
		pods.WaitForScheduled(ctx, e, "before")
		components.RestartScheduler(ctx, e)
		pods.CreateWithRequests(ctx, e, "after", fixture.RequestFor(sim, "part-1"))
		pods.WaitForScheduled(ctx, e, "after")
		pods.CreateWithRequests(ctx, e, "waiting", fixture.RequestFor(sim, "part-2"))
		pods.WaitForUnschedulable(ctx, e, "waiting", "a claim has one of two units since before the restart, and another one since then")
		pods.DeleteWithClaim(ctx, e, "before")
		pods.WaitForScheduled(ctx, e, "waiting")
	},
}
