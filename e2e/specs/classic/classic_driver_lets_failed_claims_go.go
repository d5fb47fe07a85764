// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicDriverLetsFailedClaimsGo selects a node for a claim whose devices are all in use, and
// deletes the claim.
var classicDriverLetsFailedClaimsGo = suite.Spec{
	ID:           "classic-driver-lets-failed-claims-go",
	Description:  "A claim that a driver could not allocate can be deleted.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicAllocator},
	Requirements: []string{"3063-finalizer-without-allocation"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.UseDriver(ctx, e, 1)
		d.Hold(ctx, d.Nodes[0], d.Names("user", d.DevicesPerNode())...)
		d.CreateClaims(ctx, "late")
		d.Ask(ctx, d.CreateUnscheduledPod(ctx, "late", "late"), d.Nodes[0])
		d.ExpectClaimStays(ctx, "late", "all devices of the selected node are in use", classic.Pending)
		d.DeleteClaim(ctx, "late")
		d.WaitForClaimRemoved(ctx, "late", "the claim was never allocated")
	},
}
