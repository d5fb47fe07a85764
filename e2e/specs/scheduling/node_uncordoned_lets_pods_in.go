// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// nodeUncordonedLetsPodsIn cordons the only node with devices. When the scheduler
// has observed this, the node is made schedulable again. Nothing else changes.
var nodeUncordonedLetsPodsIn = suite.Spec{
	ID:           "node-uncordoned-lets-pods-in",
	Description:  "A pod that waits because the node with its device is cordoned is scheduled when the node is schedulable again.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Alone:        true,
	Requirements: []string{"4381-scheduling-uncordoned-nodes-wake-pods"},
	Body: func(ctx context.Context, e *env.Env) {
		e.BoundWakeUps()
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		sim.Cordon(ctx, sim.Names[0], true)
		waiting := expect.PendingOnceSeen(ctx, e, "pod", "the node is cordoned", func(pod string) {
			createPodWith(ctx, e, pod, pods.Options{Change: simulated.KeepOffCordoned}, devices.NewDeviceClaim(fixture.RequestFor(sim, "card")))
		})
		pods.WaitForUnschedulable(ctx, e, waiting, "the only node with its device is cordoned")
		sim.Cordon(ctx, sim.Names[0], false)
		pods.WaitForScheduled(ctx, e, waiting)
	},
}
