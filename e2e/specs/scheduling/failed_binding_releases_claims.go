// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// failedBindingReleasesClaims creates a pod with three claims, of which an
// admission policy rejects updates of the second one. When the scheduler has
// reported the failure, the pod is deleted. A scheduler may have allocated the
// other claims before, and need not deallocate them. Pods that use these claims
// and the device of the second one follow.
var failedBindingReleasesClaims = suite.Spec{
	ID:           "failed-binding-releases-claims",
	Description:  "When a pod cannot be bound because one of its claims cannot be allocated in the end, none of its claims stays reserved for it. Other pods can use these claims, and the device of the claim that is not allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-failed-binding-unreserves", "4381-scheduling-failed-binding-frees-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-1", "card-2", "card-3"))
		claimFor := func(device string) resourceapi.DeviceClaim {
			return devices.NewDeviceClaim(fixture.RequestFor(sim, device))
		}
		pods.CreateWithFailingBindingOf(ctx, e, "failing", 1, claimFor("card-1"), claimFor("card-2"), claimFor("card-3"))
		claims.WaitForUnreserved(ctx, e, "their pod could not be bound", "failing-0", "failing-1", "failing-2")
		pods.Delete(ctx, e, "failing")

		createPodFor(ctx, e, sim, "other", "card-2")
		pods.WaitForScheduled(ctx, e, "other")
		pods.CreateUsingClaims(ctx, e, "next", pods.Options{}, "failing-0", "failing-2")
		pods.WaitForScheduled(ctx, e, "next")
	},
}
