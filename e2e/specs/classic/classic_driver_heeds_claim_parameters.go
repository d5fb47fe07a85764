// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicDriverHeedsClaimParameters creates a claim that is allocated immediately, whose
// parameters do not exist yet, and then the parameters, which allow one of two nodes.
var classicDriverHeedsClaimParameters = suite.Spec{
	ID:           "classic-driver-heeds-claim-parameters",
	Description:  "A driver waits for the parameters that a claim refers to, and allocates the claim as they require.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     earlierFeatures,
	Component:    env.Driver,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicControllers},
	Requirements: []string{"3063-claim-parameters"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.CreateEarlierDriver(ctx, e, 2, 1, nil)
		d.CreateClaimReferring(ctx, "claim", "parameters")
		d.ExpectClaimStays(ctx, "claim", "its parameters do not exist", classic.Pending)
		d.CreateParameters(ctx, "parameters", d.Nodes[1])
		d.WaitForClaim(ctx, "claim", "a node that the parameters allow has a device", d.AllocatedFor(ctx, d.Nodes[1]))
	},
}
