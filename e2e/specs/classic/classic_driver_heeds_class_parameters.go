// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicDriverHeedsClassParameters creates two claims that are allocated immediately, of a
// class whose parameters allow one of two nodes, which have a device each.
var classicDriverHeedsClassParameters = suite.Spec{
	ID:           "classic-driver-heeds-class-parameters",
	Description:  "A driver allocates a claim as the parameters of its class require, and waits if only other devices are free.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     earlierFeatures,
	Component:    env.Driver,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicControllers},
	Requirements: []string{"3063-opaque-parameters"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.CreateEarlierDriver(ctx, e, 2, 1, nil)
		restricted := d.CreateClassForNodes(ctx, "restricted", d.Nodes[1])
		d.CreateClaimOf(ctx, "first", restricted, classic.Immediate)
		d.WaitForClaim(ctx, "first", "a node that the parameters allow has a device", d.AllocatedFor(ctx, d.Nodes[1]))
		d.CreateClaimOf(ctx, "second", restricted, classic.Immediate)
		d.CreateClaim(ctx, "unrestricted", classic.Immediate)
		d.WaitForClaim(ctx, "unrestricted", "the other node has a device", d.AllocatedFor(ctx, d.Nodes[0]))
		d.ExpectClaimStays(ctx, "second", "the parameters allow no other node", classic.Pending)
	},
}
