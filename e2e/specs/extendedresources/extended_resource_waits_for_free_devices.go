// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceWaitsForFreeDevices creates a pod with a claim for the only
// device of an extended resource, one that requests the resource, and one with
// another claim, and deletes the first two one after the other.
var extendedResourceWaitsForFreeDevices = suite.Spec{
	ID:           "extended-resource-waits-for-free-devices",
	Description:  "Devices are allocated either for an extended resource or to a claim. A pod that requests either waits until a device is free.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Alone:        true,
	Requirements: []string{"5004-same-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		e.BoundWakeUps()
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		pods.CreateWithRequests(ctx, e, "claims", fixture.RequestFor(sim, "card"))
		pods.WaitForScheduled(ctx, e, "claims")
		createPod(ctx, e, "extends", simulated.ExtendedResource(e, "card"))
		pods.WaitForUnschedulable(ctx, e, "extends", "a claim has the only device")

		pods.DeleteWithClaim(ctx, e, "claims")
		waitForDevices(ctx, e, "extends", "it was released", "card")
		pods.CreateWithRequests(ctx, e, "late", fixture.RequestFor(sim, "card"))
		createPod(ctx, e, "later", simulated.ExtendedResource(e, "card"))
		pods.WaitForAllUnschedulable(ctx, e, "the only device provides the extended resource of pod extends", "late", "later")
	},
}
