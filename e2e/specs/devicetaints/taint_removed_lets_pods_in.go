// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintRemovedLetsPodsIn creates a pod for each of two devices with a taint, and
// removes the taint of one of them. Nothing else changes.
var taintRemovedLetsPodsIn = suite.Spec{
	ID:           "taint-removed-lets-pods-in",
	Description:  "A pod that waits because its device has a taint is scheduled when the taint is removed, and those for other devices are not.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Alone:        true,
	Requirements: []string{"5055-taints-come-and-go"},
	Body: func(ctx context.Context, e *env.Env) {
		e.BoundWakeUps()
		sim := simulated.CreateNodes(ctx, e, 1)
		pool := sim.Names[0]
		sim.CreatePool(ctx, simulated.Pool{Node: pool}, withTaint(noSchedule, "card", "disk"))
		createPodFor(ctx, e, sim, "card", "card")
		createPodFor(ctx, e, sim, "disk", "disk")
		pods.WaitForAllUnschedulable(ctx, e, "their devices have a taint", "card", "disk")

		sim.SetTaints(ctx, pool, map[string][]resourceapi.DeviceTaint{"card": nil})
		pods.WaitForScheduled(ctx, e, "card")
		pods.WaitForUnschedulable(ctx, e, "disk", "its device still has a taint")
	},
}
