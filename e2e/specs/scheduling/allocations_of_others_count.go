// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// allocationsOfOthersCount writes the allocation of a claim, as another scheduler
// does, and lets a pod use it. Another pod waits for the same device.
var allocationsOfOthersCount = suite.Spec{
	ID:           "allocations-of-others-count",
	Description:  "A device that another scheduler has allocated to a claim is used with this claim, and not allocated to others until the claim is deallocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-allocations-of-others"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createUnused(ctx, e)
		pods.CreateUsingClaims(ctx, e, "user", pods.Options{Node: sim.Names[0]}, unused)
		pods.WaitForScheduled(ctx, e, "user")
		createPodOn(ctx, e, sim, 0, "waiting", "card")
		pods.WaitForUnschedulable(ctx, e, "waiting", "another scheduler has allocated the device to the claim of another pod")
		pods.DeleteWithClaim(ctx, e, unused, "user")
		pods.WaitForScheduled(ctx, e, "waiting")
	},
}
