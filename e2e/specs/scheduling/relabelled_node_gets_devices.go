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

// relabelledNodeGetsDevices creates pods for devices of two zones in which there is
// no node, and moves a node into one of the zones. Nothing else changes.
var relabelledNodeGetsDevices = suite.Spec{
	ID:           "relabelled-node-gets-devices",
	Description:  "A pod that waits because no node is selected by the ResourceSlice of its device is scheduled when a node gets the label, and those for other devices are not.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Alone:        true,
	Requirements: []string{"4381-scheduling-labelled-node-gets-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		e.BoundWakeUps()
		sim := simulated.CreateNodes(ctx, e, 2)
		for _, name := range []string{"a", "b"} {
			sim.CreatePool(ctx, simulated.Pool{Name: name, Selector: inZone(name)}, fixture.Devices(name))
			createPodFor(ctx, e, sim, name, name)
		}
		pods.WaitForAllUnschedulable(ctx, e, "no node is in the zones of their devices", "a", "b")

		sim.SetLabel(ctx, sim.Names[1], zone, "b")
		pods.WaitForScheduled(ctx, e, "b")
		pods.WaitForUnschedulable(ctx, e, "a", "still no node is in the zone of its device")
	},
}
