// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintsUpToTheLimit publishes devices with as many taints as possible. The claim for one of
// them tolerates all taints, one by one, and that for the other all but the last one.
var taintsUpToTheLimit = suite.Spec{
	ID:           "taints-up-to-the-limit",
	Description:  "A device can have 16 taints, and a request 16 tolerations. The last one of each counts.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Since:        "1.35", // 1.34 has other limits.
	Requirements: []string{"5055-every-taint-counts", "5055-limits"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fixture.Devices("all", "all-but-the-last")
		var taints []resourceapi.DeviceTaint
		var tolerations []resourceapi.DeviceToleration
		for i := range resourceapi.DeviceTaintsMaxLength {
			key := fmt.Sprintf("draconform.dev/worn-%d", i)
			taints = append(taints, resourceapi.DeviceTaint{Key: key, Effect: noSchedule.Effect})
			tolerations = append(tolerations, tolerate(key, noSchedule.Effect))
		}
		for i := range inventory.Devices {
			inventory.Devices[i].Taints = taints
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		createPodFor(ctx, e, sim, "all", "all", tolerations...)
		createPodFor(ctx, e, sim, "all-but-the-last", "all-but-the-last", tolerations[:len(tolerations)-1]...)
		pods.WaitForScheduled(ctx, e, "all")
		pods.WaitForUnschedulable(ctx, e, "all-but-the-last", "it does not tolerate the last of 16 taints")
	},
}
