// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// classicDriverLeavesOthersAlone plays the scheduler and another driver, asks about nodes for a
// pod with a claim of each driver, and selects one.
var classicDriverLeavesOthersAlone = suite.Spec{
	ID:           "classic-driver-leaves-others-alone",
	Description:  "A driver adds its answers to those of other drivers, and allocates its own claims of a pod only.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicAllocator},
	Requirements: []string{"3063-own-answers", "3063-own-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.UseDriver(ctx, e, 2)
		d.CreateClaim(ctx, "other", d.Driver("other"), d.Class)
		d.CreateClaims(ctx, "own")
		d.Ask(ctx, d.CreateUnscheduledPod(ctx, "pod", "other", "own"), "", d.Nodes...)
		theirs, own := classic.Answer{Name: pods.ClaimOf(0), UnsuitableNodes: d.Nodes[:1]}, classic.Answer{Name: pods.ClaimOf(1)}
		d.Answer(ctx, "pod", theirs)
		d.WaitForContext(ctx, "pod", "the driver should answer, and keep the answer of another driver", classic.HasAnswers(theirs, own))
		d.SelectNode(ctx, "pod", d.Nodes[1])
		d.WaitForClaim(ctx, "own", "a node is selected for the pod", d.AllocatedOn(d.Nodes[1]))
		d.ExpectClaimStays(ctx, "other", "another driver has to allocate it", classic.Pending)
		d.WaitForContext(ctx, "pod", "the answer of another driver should remain", classic.HasAnswers(theirs))
	},
}
