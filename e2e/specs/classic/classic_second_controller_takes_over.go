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

// classicSecondControllerTakesOver starts two controllers of a driver, kills the first, starts another one, and kills
// the second.
var classicSecondControllerTakesOver = suite.Spec{
	ID:           "classic-second-controller-takes-over",
	Description:  "One of two controllers of a driver continues when the other one is killed, knows what that one has given, and leaves the work to it again.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicControllers},
	Requirements: []string{"3063-driver-continues"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.StartDriver(ctx, e, 1, operations.ClassicController{DevicesPerNode: 3, Elect: true}, nil)
		node, first := d.Nodes[0], d.Running()
		d.Hold(ctx, node, "of-first")
		second := d.StartAnother(ctx)
		d.Hold(ctx, node, "of-either")
		d.Kill(first)
		d.Hold(ctx, node, "of-second")
		d.CreateClaims(ctx, "waiting")
		d.Ask(ctx, d.CreateUnscheduledPod(ctx, "waiting", "waiting"), "", node)
		d.WaitForAnswers(ctx, "waiting", 1, []string{node})
		d.StartAnother(ctx)
		d.Kill(second)
		d.Reserve(ctx, "of-first")
		d.DeleteClaim(ctx, "of-first")
		d.WaitForClaimRemoved(ctx, "of-first", "a controller runs")
		d.WaitForAnswers(ctx, "waiting", 1, nil)
		d.SelectNode(ctx, "waiting", node)
		d.WaitForClaim(ctx, "waiting", "a device is free", d.AllocatedOn(node))
	},
}
