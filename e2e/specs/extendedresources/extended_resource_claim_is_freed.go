// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceClaimIsFreed creates two pods that request the only device of an
// extended resource, and deletes the first one.
var extendedResourceClaimIsFreed = suite.Spec{
	ID:           "extended-resource-claim-is-freed",
	Description:  "The claim for the extended resources of a pod is deleted with the pod, and its devices can be allocated again.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Requirements: []string{"5004-deleted-with-pod"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		createPod(ctx, e, "first", simulated.ExtendedResource(e, "card"))
		waitForDevices(ctx, e, "first", "it is the only one", "card")
		createPod(ctx, e, "second", simulated.ExtendedResource(e, "card"))
		pods.WaitForUnschedulable(ctx, e, "second", "pod first has the only device")

		claim, _ := pods.WaitForExtendedClaim(ctx, e, "first")
		pods.Delete(ctx, e, "first")
		claims.WaitForCollected(ctx, e, claim.Name, "the pod that owns it is deleted")
		waitForDevices(ctx, e, "second", "it was released", "card")
	},
}
