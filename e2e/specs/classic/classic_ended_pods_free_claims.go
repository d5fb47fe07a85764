// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// classicEndedPodsFreeClaims lets pods end in different ways, of which each is the only user of
// a claim.
var classicEndedPodsFreeClaims = suite.Spec{
	ID:           "classic-ended-pods-free-claims",
	Description:  "Deallocation of a claim is requested when its only pod has completed or failed, or was deleted before it was bound, also if another pod has its name, and not while a deleted one may run still.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-ended-users"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 1)
		for claim, phase := range map[string]corev1.PodPhase{"completed": corev1.PodSucceeded, "failed": corev1.PodFailed} {
			c.CreateClaim(ctx, claim, c.Driver("a"), c.Class)
			c.Allocate(ctx, claim, classic.AllocationOn(c.Driver("a"), c.Nodes...))
			pod := c.CreateBoundPod(ctx, claim, c.Nodes[0], claim)
			c.WaitForClaim(ctx, claim, "the claim should be reserved for the bound pod", reservedFor(pod))
			pods.SetPhase(ctx, e, claim, phase)
			c.WaitForClaim(ctx, claim, "the containers of the pod have ended", askedToDeallocate)
		}
		c.CreateClaim(ctx, "terminating", c.Driver("a"), c.Class)
		c.Allocate(ctx, "terminating", classic.AllocationOn(c.Driver("a"), c.Nodes...))
		ending := c.CreateBoundPod(ctx, "terminating", c.Nodes[0], "terminating")
		c.WaitForClaim(ctx, "terminating", "the claim should be reserved for the bound pod", reservedFor(ending))
		c.Terminate(ctx, "terminating")
		c.ExpectClaimStays(ctx, "terminating", "the containers of the deleted pod may run still", reservedFor(ending))
		pods.Delete(ctx, e, "terminating")
		c.WaitForClaim(ctx, "terminating", "the pod is removed", askedToDeallocate)
		c.CreateClaim(ctx, "unbound", c.Driver("a"), c.Class)
		pod := c.CreateUnscheduledPod(ctx, "unbound", "unbound")
		c.Allocate(ctx, "unbound", classic.AllocationOn(c.Driver("a"), c.Nodes...), pod)
		pods.Delete(ctx, e, "unbound")
		c.WaitForClaim(ctx, "unbound", "the pod was deleted before it was bound", askedToDeallocate)
		c.CreateClaim(ctx, "of-namesake", c.Driver("a"), c.Class)
		c.Allocate(ctx, "of-namesake", classic.AllocationOn(c.Driver("a"), c.Nodes...))
		former := c.CreateUnscheduledPod(ctx, "namesake").DeepCopy()
		former.UID = "00000000-0000-0000-0000-000000000000"
		c.Reserve(ctx, "of-namesake", former)
		c.WaitForClaim(ctx, "of-namesake", "the pod is another one of the same name", askedToDeallocate)
	},
}
