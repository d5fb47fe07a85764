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

// failedBindingLeavesOtherUsers creates a pod that uses the claim of a scheduled pod,
// and a claim whose status cannot be updated, so that the pod cannot be bound.
var failedBindingLeavesOtherUsers = suite.Spec{
	ID:           "failed-binding-leaves-other-users",
	Description:  "When a pod cannot be bound, a claim that it shares with another pod stays allocated and reserved for the other pod.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-failed-binding-unreserves"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		createPodFor(ctx, e, sim, "holder", "card")
		pods.WaitForScheduled(ctx, e, "holder")
		pods.CreateUsingClaimWithFailingBinding(ctx, e, "failing", "holder", devices.NewDeviceClaim(fixture.RequestFor(sim, "disk")))
		pods.Delete(ctx, e, "failing")
		claims.WaitForConsumers(ctx, e, "holder", "one of its pods could not be bound, and is deleted", 1)
		createPodFor(ctx, e, sim, "next", "card")
		pods.WaitForUnschedulable(ctx, e, "next", "claim holder has its device")
	},
}
