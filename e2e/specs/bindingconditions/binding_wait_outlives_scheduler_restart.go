// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/components"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// bindingWaitOutlivesSchedulerRestart restarts the scheduler while a pod waits for
// its device, and makes the device ready afterwards.
var bindingWaitOutlivesSchedulerRestart = suite.Spec{
	ID:           "binding-wait-outlives-scheduler-restart",
	Description:  "A scheduler that restarts while a pod waits for its device waits again, and binds the pod when the device is ready.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     bindingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsScheduler},
	Requirements: []string{"5007-waits-after-restart"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fabric("card"))
		pods.CreateWithRequests(ctx, e, "card", fixture.RequestFor(sim, "card"))
		claims.WaitForAllocation(ctx, e, "card", "its device is free")
		components.RestartScheduler(ctx, e)
		expectWaiting(ctx, e, map[string]string{"card": "its device was not ready when the scheduler restarted"})
		reportReady(ctx, e, "card")
		pods.WaitForScheduled(ctx, e, "card")
	},
}
