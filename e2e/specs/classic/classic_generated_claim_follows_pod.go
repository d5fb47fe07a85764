// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicGeneratedClaimFollowsPod creates a pod with a claim of a template, and deletes
// it.
var classicGeneratedClaimFollowsPod = suite.Spec{
	ID:           "classic-generated-claim-follows-pod",
	Description:  "A claim of a driver that is generated from a template for a pod is allocated for it, and is removed with the pod and its finalizer.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Cluster,
	MinNodes:     1,
	Needs:        []env.Need{env.NeedsClassicDriver},
	Requirements: []string{"3063-generated-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		w := classic.UseWorkers(ctx, e)
		w.CreateTemplate(ctx, "template")
		w.CreatePodFromTemplate(ctx, "pod", w.Nodes[0], "template")
		claim := w.WaitForGeneratedClaim(ctx, "pod")
		w.WaitForClaim(ctx, claim, "a pod uses the claim", w.AllocatedOn(w.Nodes[0]))
		w.WaitForBound(ctx, "pod", "its claim is allocated")
		w.DeletePods(ctx, false, "pod")
		w.WaitForClaimRemoved(ctx, claim, "its pod is gone, and its driver runs")
	},
}
