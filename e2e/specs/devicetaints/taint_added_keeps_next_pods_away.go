// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintAddedKeepsNextPodsAway taints two published devices: one that is allocated
// and that a second pod waits for, and one that is free. When the scheduler has
// observed the taints, and allocates the free device to no new pod any more, the
// allocated device is released.
var taintAddedKeepsNextPodsAway = suite.Spec{
	ID:           "taint-added-keeps-next-pods-away",
	Description:  "A device that gets a taint is not allocated any more, neither to new pods nor to pods that were created before the taint. What is allocated already stays allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-taints-come-and-go"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		pool := sim.Names[0]
		sim.CreatePool(ctx, simulated.Pool{Node: pool}, fixture.Devices("card", "disk"))
		createPodFor(ctx, e, sim, "holder", "card")
		pods.WaitForScheduled(ctx, e, "holder")
		createPodFor(ctx, e, sim, "waiting", "card")
		pods.WaitForUnschedulable(ctx, e, "waiting", "claim holder has the card")

		sim.SetTaints(ctx, pool, map[string][]resourceapi.DeviceTaint{"card": {noSchedule}, "disk": {noSchedule}})
		waitForClosed(ctx, e, sim, 0, "disk", "it was tainted before the pod was created")
		expect.AllocatedFor(ctx, e, "holder", "its device was allocated before the taint", "device")
		pods.DeleteWithClaim(ctx, e, "holder")
		pods.WaitForUnschedulable(ctx, e, "waiting", "its device was tainted before it was released")
	},
}
