// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicDriverAbsentForAWhile stops the controller of the driver, creates a pod,
// deletes a pod with its claim, and starts it again.
var classicDriverAbsentForAWhile = suite.Spec{
	ID:           "classic-driver-absent-for-a-while",
	Description:  "Without the controller of a driver, pods that run continue. What was asked for meanwhile happens when it runs again.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	MinNodes:     1,
	Needs:        []env.Need{env.NeedsClassicDriver},
	Requirements: []string{"3063-driver-continues"},
	Body: func(ctx context.Context, e *env.Env) {
		w := classic.UseWorkers(ctx, e)
		w.CreatePodsOn(ctx, w.Nodes[0], "leaving", "staying")
		w.WaitForRunning(ctx, "there is a device for each pod", "leaving", "staying")
		w.ScaleController(ctx, 0)
		w.CreatePodsOn(ctx, w.Nodes[0], "waiting")
		w.DeletePods(ctx, false, "leaving")
		w.DeleteClaim(ctx, "leaving")
		w.ExpectClaimStays(ctx, "leaving", "its driver is absent", allocated)
		w.ExpectNotBound(ctx, "waiting", "the driver of its claim is absent")
		w.ScaleController(ctx, 1)
		w.WaitForClaimRemoved(ctx, "leaving", "the driver runs again")
		w.WaitForRunning(ctx, "the driver runs again", "waiting", "staying")
	},
}
