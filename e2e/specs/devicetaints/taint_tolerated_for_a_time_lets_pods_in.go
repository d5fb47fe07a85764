// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintToleratedForATimeLetsPodsIn publishes a device with a taint of the effect
// NoExecute. A claim tolerates it for an hour.
var taintToleratedForATimeLetsPodsIn = suite.Spec{
	ID:           "taint-tolerated-for-a-time-lets-pods-in",
	Description:  "A device with a taint is allocated to a claim that tolerates the taint for tolerationSeconds, and not to one that tolerates another taint for this time.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-tolerated-for-a-time"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := withTaint(noExecute, "worn", "other")
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		forAnHour := tolerate(worn, noExecute.Effect)
		forAnHour.TolerationSeconds = ptr.To[int64](3600)
		createPodFor(ctx, e, sim, "worn", "worn", forAnHour)
		pods.WaitForScheduled(ctx, e, "worn")
		forAnHour.Key = "example.com/other"
		createPodFor(ctx, e, sim, "other", "other", forAnHour)
		pods.WaitForUnschedulable(ctx, e, "other", "its claim tolerates a taint that its device does not have")
	},
}
