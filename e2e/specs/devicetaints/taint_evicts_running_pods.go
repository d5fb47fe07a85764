// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintEvictsRunningPods schedules a pod for each of two devices, and taints one
// of them.
var taintEvictsRunningPods = suite.Spec{
	ID:           "taint-evicts-running-pods",
	Description:  "A pod is deleted when a device of its claim gets a taint of the effect NoExecute that the claim does not tolerate. Its status states the disruption. Pods with other devices of the pool stay.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-no-execute-evicts", "5055-eviction-is-stated"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		createPodFor(ctx, e, sim, "card", "card")
		createPodFor(ctx, e, sim, "disk", "disk")
		pods.WaitForScheduled(ctx, e, "card", "disk")

		sim.SetTaints(ctx, sim.Names[0], map[string][]resourceapi.DeviceTaint{"card": {noExecute}})
		pods.WaitForDisrupted(ctx, e, "its device has a taint of the effect NoExecute", "card")
		pods.ExpectNotEvicted(ctx, e, "its device has no taint", "disk")
	},
}
