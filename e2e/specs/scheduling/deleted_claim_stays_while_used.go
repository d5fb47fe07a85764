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

// deletedClaimStaysWhileUsed deletes the claim of a scheduled pod. Another pod waits
// for the device until the first one is deleted. The spec plays kube-controller-manager,
// which frees the claim then.
var deletedClaimStaysWhileUsed = suite.Spec{
	ID:           "deleted-claim-stays-while-used",
	Description:  "A claim that is deleted while a pod uses it exists, and holds its device, until the pod is deleted.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-allocated-claims-are-protected"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		createPodFor(ctx, e, sim, "holder", "card")
		pods.WaitForScheduled(ctx, e, "holder")
		claims.DeleteWithoutWaiting(ctx, e, "holder")
		createPodFor(ctx, e, sim, "next", "card")
		pods.WaitForUnschedulable(ctx, e, "next", "the pod of the deleted claim uses the device")
		claims.WaitForConsumers(ctx, e, "holder", "its pod exists", 1)
		pods.Delete(ctx, e, "holder")
		claims.FreeDeleted(ctx, e, "holder")
		pods.WaitForScheduled(ctx, e, "next")
	},
}
