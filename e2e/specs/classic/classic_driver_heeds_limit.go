// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// classicDriverHeedsLimit starts a driver whose nodes have four devices, of which three can be in use, and asks for
// four claims.
var classicDriverHeedsLimit = suite.Spec{
	ID:           "classic-driver-heeds-limit",
	Description:  "A driver excludes all nodes when as many devices are in use in the cluster as is allowed, although nodes have others. It includes them again when one is free.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicControllers},
	Requirements: []string{"3063-custom-policies"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.StartDriver(ctx, e, 2, operations.ClassicController{DevicesPerNode: 2, Limit: 3}, nil)
		d.Hold(ctx, d.Nodes[0], "first", "second")
		d.Hold(ctx, d.Nodes[1], "third")
		d.CreateClaims(ctx, "fourth")
		d.Ask(ctx, d.CreateUnscheduledPod(ctx, "fourth", "fourth"), "", d.Nodes...)
		d.WaitForAnswers(ctx, "fourth", 1, d.Nodes)
		d.Reserve(ctx, "first")
		d.DeleteClaim(ctx, "first")
		d.WaitForClaimRemoved(ctx, "first", "no pod uses it")
		d.WaitForAnswers(ctx, "fourth", 1, nil)
		d.SelectNode(ctx, "fourth", d.Nodes[1])
		d.WaitForClaim(ctx, "fourth", "fewer devices are in use than are allowed", d.AllocatedOn(d.Nodes[1]))
	},
}
