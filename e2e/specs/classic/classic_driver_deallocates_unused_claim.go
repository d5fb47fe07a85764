// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicDriverDeallocatesUnusedClaim deletes a pod whose claim stays, and creates
// another one with the claim on another node.
var classicDriverDeallocatesUnusedClaim = suite.Spec{
	ID:           "classic-driver-deallocates-unused-claim",
	Description:  "A driver deallocates a claim that it is asked to deallocate, clears the request, and allocates the claim again for another pod.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	MinNodes:     2,
	Needs:        []env.Need{env.NeedsClassicDriver},
	Requirements: []string{"3063-driver-deallocates"},
	Body: func(ctx context.Context, e *env.Env) {
		w := classic.UseWorkers(ctx, e)
		w.CreatePodsOn(ctx, w.Nodes[0], "claim")
		w.WaitForRunning(ctx, "there is a device for the pod", "claim")
		w.DeletePods(ctx, false, "claim")
		w.WaitForClaim(ctx, "claim", "no pod uses the claim any more", deallocated)
		w.CreatePodOn(ctx, "claim", w.Nodes[1], "claim")
		w.WaitForRunning(ctx, "the claim can be allocated again", "claim")
		w.WaitForClaim(ctx, "claim", "the pod runs on this node", w.AllocatedOn(w.Nodes[1]))
	},
}
