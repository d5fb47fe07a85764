// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintOnOneOfSeveralDevicesEvicts schedules a pod whose claim has two requests,
// and a pod with two claims, and taints the last device of each.
var taintOnOneOfSeveralDevicesEvicts = suite.Spec{
	ID:           "taint-on-one-of-several-devices-evicts",
	Description:  "A pod is evicted if any of its devices has a taint of the effect NoExecute that the request for this device does not tolerate.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-no-execute-evicts", "5055-tolerations-of-a-request"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-0", "disk-0", "card-1", "disk-1"))
		tolerant := tolerate(worn, noExecute.Effect)
		both := devices.NewDeviceClaim([]devices.Request{
			{Name: "card", Device: fixture.SubRequestFor(sim, "card-0").Device}, {Name: "disk", Device: fixture.SubRequestFor(sim, "disk-0").Device},
		})
		both.Requests[0].Exactly.Tolerations = []resourceapi.DeviceToleration{tolerant}
		pods.CreateWithClaim(ctx, e, "two-requests", both)
		pods.CreateWithClaims(ctx, e, "two-claims", claimFor(sim, "card-1", tolerant), claimFor(sim, "disk-1"))
		pods.WaitForScheduled(ctx, e, "two-requests", "two-claims")

		sim.SetTaints(ctx, sim.Names[0], map[string][]resourceapi.DeviceTaint{"disk-0": {noExecute}, "disk-1": {noExecute}})
		pods.WaitForEvicted(ctx, e, "the last of its devices has a taint that is not tolerated", "two-requests", "two-claims")
	},
}
