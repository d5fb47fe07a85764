// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// gatedPodHoldsNothing creates a pod with a scheduling gate, and another one for
// the same device. When the second pod is deleted, the device stays free until
// the gate is removed.
var gatedPodHoldsNothing = suite.Spec{
	ID:           "gated-pod-holds-nothing",
	Description:  "No device is allocated for a pod with scheduling gates. When they are removed, the pod is scheduled.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-nothing-while-gated"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		createPodWith(ctx, e, "gated", pods.Options{Change: addGate}, devices.NewDeviceClaim(fixture.RequestFor(sim, "card")))
		const because = "its pod has a scheduling gate"
		claims.ExpectNotAllocated(ctx, e, "gated", because)
		createPodFor(ctx, e, sim, "other", "card")
		pods.WaitForScheduled(ctx, e, "other")
		pods.DeleteWithClaim(ctx, e, "other")
		claims.ExpectNotAllocated(ctx, e, "gated", because)
		pods.RemoveSchedulingGates(ctx, e, "gated")
		pods.WaitForScheduled(ctx, e, "gated")
	},
}
