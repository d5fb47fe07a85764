// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// claimDeallocatedLetsPodsIn deletes the pod of an allocated claim, and leaves
// the claim. Another pod waits for the device. Nothing else changes.
var claimDeallocatedLetsPodsIn = suite.Spec{
	ID:           "claim-deallocated-lets-pods-in",
	Description:  "A pod that waits for a device is scheduled when the only pod that uses the device is deleted, although its claim is not.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Alone:        true,
	Requirements: []string{"4381-scheduling-released-devices-wake-pods"},
	Body: func(ctx context.Context, e *env.Env) {
		e.BoundWakeUps()
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		createPodFor(ctx, e, sim, "holder", "card")
		pods.WaitForScheduled(ctx, e, "holder")
		createPodFor(ctx, e, sim, "waiting", "card")
		pods.WaitForUnschedulable(ctx, e, "waiting", "claim holder has its device")
		pods.Delete(ctx, e, "holder")
		claims.WaitForDeallocated(ctx, e, "holder")
		pods.WaitForScheduled(ctx, e, "waiting")
	},
}
