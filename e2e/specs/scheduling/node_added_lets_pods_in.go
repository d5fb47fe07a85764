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

// nodeAddedLetsPodsIn creates a pod for a device of a zone without nodes, and
// adds a node in this zone. Nothing else changes.
var nodeAddedLetsPodsIn = suite.Spec{
	ID:           "node-added-lets-pods-in",
	Description:  "A pod that waits because no node is selected by the ResourceSlice of its device is scheduled when such a node is added.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Alone:        true,
	Requirements: []string{"4381-scheduling-new-nodes-wake-pods"},
	Body: func(ctx context.Context, e *env.Env) {
		e.BoundWakeUps()
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Name: "rack", Selector: inZone("a")}, fixture.Devices("card"))
		createPodFor(ctx, e, sim, "pod", "card")
		pods.WaitForUnschedulable(ctx, e, "pod", "no node is in the zone of its device")
		sim.AddNode(ctx, map[string]string{zone: "a"})
		pods.WaitForScheduled(ctx, e, "pod")
	},
}
