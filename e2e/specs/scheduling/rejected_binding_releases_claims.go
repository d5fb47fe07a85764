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

// rejectedBindingReleasesClaims creates a pod with three claims, which an admission
// policy does not let be bound. Another policy keeps the pod among the consumers of the
// second claim. When the scheduler has reported the failure, and the other claims are not
// reserved any more, the pod is deleted, and another one uses them.
var rejectedBindingReleasesClaims = suite.Spec{
	ID:           "rejected-binding-releases-claims",
	Description:  "When a pod cannot be bound although all of its claims were allocated and reserved for it, they do not stay reserved for it, even if one of them cannot be updated. Other pods can use them.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-rejected-binding-unreserves", "4381-scheduling-rejected-binding-unreserves-each"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-1", "card-2", "card-3"))
		claimFor := func(device string) resourceapi.DeviceClaim {
			return devices.NewDeviceClaim(fixture.RequestFor(sim, device))
		}
		pods.CreateWithRejectedBinding(ctx, e, "failing", 1, claimFor("card-1"), claimFor("card-2"), claimFor("card-3"))
		claims.WaitForUnreserved(ctx, e, "their pod could not be bound", "failing-0", "failing-2")
		pods.Delete(ctx, e, "failing")
		pods.CreateUsingClaims(ctx, e, "next", pods.Options{}, "failing-0", "failing-2")
		pods.WaitForScheduled(ctx, e, "next")
	},
}
