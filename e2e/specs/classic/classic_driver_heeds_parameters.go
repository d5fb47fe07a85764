// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicDriverHeedsParameters asks about two nodes for claims whose parameters allow one of
// them, those of the class or those of the claim, and selects that node.
var classicDriverHeedsParameters = suite.Spec{
	ID:           "classic-driver-heeds-parameters",
	Description:  "A driver excludes nodes that the parameters of a claim or of its class exclude, and allocates the claim for another one.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicControllers},
	Requirements: []string{"3063-opaque-configuration"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.UseDriver(ctx, e, 2)
		d.CreateClaimsOf(ctx, d.CreateClassFor(ctx, "restricted", d.Nodes[1]), "of-class")
		d.CreateClaimFor(ctx, "of-itself", d.Nodes[1])
		for _, claim := range []string{"of-class", "of-itself"} {
			d.Ask(ctx, d.CreateUnscheduledPod(ctx, claim, claim), "", d.Nodes...)
			d.WaitForAnswers(ctx, claim, 1, d.Nodes[:1])
			d.SelectNode(ctx, claim, d.Nodes[1])
			d.WaitForClaim(ctx, claim, "the parameters allow the selected node", d.AllocatedOn(d.Nodes[1]))
		}
	},
}
