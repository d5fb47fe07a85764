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

// taintEvictsRunningPods schedules a pod for each of two devices, and for devices with the name
// of the first one in another pool, and of another driver in a pool of the same name. It taints
// the first device.
var taintEvictsRunningPods = suite.Spec{
	ID:           "taint-evicts-running-pods",
	Description:  "A pod is deleted when a device of its claim gets a taint of the effect NoExecute that the claim does not tolerate. Its status states the disruption. Pods with other devices of the pool stay, and so do those with devices of the same name in other pools and of other drivers.",
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
		other := sim.AddDriver(ctx)
		other.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		sim.CreatePool(ctx, simulated.Pool{Name: sim.Names[0] + "-more", Node: sim.Names[0]}, fixture.Devices("card"))
		createPodFor(ctx, e, other, "other-driver", "card")
		createPodFor(ctx, e, sim, "other-pool", "card")
		pods.WaitForScheduled(ctx, e, "other-driver", "other-pool")

		sim.SetTaints(ctx, sim.Names[0], map[string][]resourceapi.DeviceTaint{"card": {noExecute}})
		pods.WaitForDisrupted(ctx, e, "its device has a taint of the effect NoExecute", "card")
		pods.ExpectNotEvicted(ctx, e, "their devices have no taint", "disk", "other-driver", "other-pool")
	},
}
