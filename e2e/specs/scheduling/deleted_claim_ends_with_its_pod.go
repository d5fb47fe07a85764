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

// deletedClaimEndsWithItsPod deletes the claims of two scheduled pods, and then the pods. A third
// party has added a finalizer to one of the claims, and removes it later.
var deletedClaimEndsWithItsPod = suite.Spec{
	ID:           "deleted-claim-ends-with-its-pod",
	Description:  "A claim that is deleted while a pod uses it is deallocated and removed when the pod is deleted. If it has a finalizer of others, its device is free then, and the claim exists until they remove the finalizer.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-deleted-claims-end", "4381-scheduling-other-finalizers-stay"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		createPodFor(ctx, e, sim, "holder", "card")
		createPodFor(ctx, e, sim, "kept", "disk")
		pods.WaitForScheduled(ctx, e, "holder", "kept")
		release := claims.AddFinalizer(ctx, e, "kept", claims.OtherFinalizer)
		for _, name := range []string{"holder", "kept"} {
			claims.DeleteWithoutWaiting(ctx, e, name)
			pods.Delete(ctx, e, name)
		}
		claims.WaitForDeleted(ctx, e, "holder", "its pod is deleted")

		claims.WaitForDeallocated(ctx, e, "kept")
		createPodFor(ctx, e, sim, "next", "disk")
		pods.WaitForScheduled(ctx, e, "next")
		claims.ExpectFinalizer(ctx, e, "kept", claims.OtherFinalizer, "its owner has not removed it")
		release(ctx)
		claims.WaitForDeleted(ctx, e, "kept", "its pod is deleted, and no other finalizer is left")
	},
}
