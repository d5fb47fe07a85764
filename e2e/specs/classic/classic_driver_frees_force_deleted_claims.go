// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicDriverFreesForceDeletedClaims stops the controller of the driver, deletes pods and
// their claims by force, with the finalizers of the driver, and creates others.
var classicDriverFreesForceDeletedClaims = suite.Spec{
	ID:           "classic-driver-frees-force-deleted-claims",
	Description:  "The devices of claims that were deleted by force are free again.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	MinNodes:     1,
	Needs:        []env.Need{env.NeedsClassicDriver},
	Requirements: []string{"3063-driver-frees-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		w := classic.UseWorkers(ctx, e)
		node := w.Nodes[0]
		users := w.FillNode(ctx, node, "user", "there is a device for each pod")
		// It would deallocate the claims first.
		w.ScaleController(ctx, 0)
		w.DeletePods(ctx, true, users...)
		for _, claim := range users {
			w.DeleteClaimByForce(ctx, claim)
			w.WaitForClaimRemoved(ctx, claim, "the claim has no finalizers")
		}
		w.ScaleController(ctx, 1)
		w.FillNode(ctx, node, "next", "the claims that had the devices are gone")
	},
}
