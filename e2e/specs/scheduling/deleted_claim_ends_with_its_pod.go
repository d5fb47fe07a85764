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

// deletedClaimEndsWithItsPod deletes the claim of a scheduled pod, and then the pod.
var deletedClaimEndsWithItsPod = suite.Spec{
	ID:           "deleted-claim-ends-with-its-pod",
	Description:  "A claim that is deleted while a pod uses it is deallocated and removed when the pod is deleted.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-deleted-claims-end"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		createPodFor(ctx, e, sim, "holder", "card")
		pods.WaitForScheduled(ctx, e, "holder")
		claims.DeleteWithoutWaiting(ctx, e, "holder")
		pods.Delete(ctx, e, "holder")
		claims.WaitForDeleted(ctx, e, "holder", "its pod is deleted")
	},
}
