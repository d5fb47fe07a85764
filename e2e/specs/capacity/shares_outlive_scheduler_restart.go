// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/components"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharesOutliveSchedulerRestart allocates six of the eight slots of a device, and restarts the
// scheduler. Pods request more slots than are left then, and as many as are left.
var sharesOutliveSchedulerRestart = suite.Spec{
	ID:           "shares-outlive-scheduler-restart",
	Description:  "After a restart, the scheduler knows how much of the capacity of a device is consumed.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     sharedDeviceFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsScheduler},
	Requirements: []string{"5075-capacity-not-exceeded"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Load(data, "nic.yaml"))
		pods.CreateWithRequests(ctx, e, "before", requestShare(sim, "nic", slots(6)))
		waitForShares(ctx, e, "before")

		components.RestartScheduler(ctx, e)
		pods.CreateWithRequests(ctx, e, "too-much", requestShare(sim, "nic", slots(3)))
		pods.WaitForUnschedulable(ctx, e, "too-much", "a claim has six of eight slots since before the restart")
		pods.CreateWithRequests(ctx, e, "rest", requestShare(sim, "nic", slots(2)))
		waitForShares(ctx, e, "rest")
	},
}
