// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sliceAddedLetsPodsIn creates pods for two devices that no slice has, and
// publishes one of them in a new pool. Nothing else changes.
var sliceAddedLetsPodsIn = suite.Spec{
	ID:           "slice-added-lets-pods-in",
	Description:  "A pod that waits for a device is scheduled when a ResourceSlice with the device is created, and those for other devices are not.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Alone:        true,
	Requirements: []string{"4381-scheduling-new-slices-wake-pods"},
	Body: func(ctx context.Context, e *env.Env) {
		e.BoundWakeUps()
		sim := simulated.CreateNodes(ctx, e, 2)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("other"))
		for _, name := range []string{"card", "disk"} {
			createPodFor(ctx, e, sim, name, name)
		}
		pods.WaitForAllUnschedulable(ctx, e, "no slice has their devices", "card", "disk")
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[1]}, fixture.Devices("card"))
		pods.WaitForScheduled(ctx, e, "card")
		pods.WaitForUnschedulable(ctx, e, "disk", "still no slice has its device")
	},
}
