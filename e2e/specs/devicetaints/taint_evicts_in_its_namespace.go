// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintEvictsInItsNamespace schedules pods of the same name with claims of the same name in two
// namespaces, and taints the device of one of them, and later that of the other one.
var taintEvictsInItsNamespace = suite.Spec{
	ID:           "taint-evicts-in-its-namespace",
	Description:  "Of two pods in different namespaces whose names, and those of their claims, are the same, only the one whose device has a taint of the effect NoExecute is evicted.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsOwnNamespace},
	Requirements: []string{"5055-no-execute-evicts"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		other := namespaces.CreateOther(ctx, e)
		createPodFor(ctx, e, sim, "pod", "card")
		createPodFor(ctx, other, sim, "pod", "disk")
		pods.WaitForScheduled(ctx, e, "pod")
		pods.WaitForScheduled(ctx, other, "pod")

		sim.SetTaints(ctx, sim.Names[0], map[string][]resourceapi.DeviceTaint{"card": {noExecute}})
		pods.WaitForDisrupted(ctx, e, "its device has a taint of the effect NoExecute", "pod")
		pods.ExpectNotEvicted(ctx, other, "its device has no taint, and its namesake is in another namespace", "pod")
		sim.SetTaints(ctx, sim.Names[0], map[string][]resourceapi.DeviceTaint{"disk": {noExecute}})
		pods.WaitForDisrupted(ctx, other, "its device has a taint of the effect NoExecute", "pod")
	},
}
