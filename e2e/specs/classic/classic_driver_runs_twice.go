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

// classicDriverRunsTwice starts a second controller of the driver, and kills the one
// that works while it allocates.
var classicDriverRunsTwice = suite.Spec{
	ID:           "classic-driver-runs-twice",
	Description:  "Two controllers of a driver give no device to two claims, and one continues without the other.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	MinNodes:     1,
	Needs:        []env.Need{env.NeedsClassicDriver},
	Requirements: []string{"3063-driver-continues"},
	Body: func(ctx context.Context, e *env.Env) {
		w := classic.UseWorkers(ctx, e)
		node, users := w.Nodes[0], w.Names("user", w.DevicesPerNode())
		w.CreatePodsOn(ctx, node, users[0])
		w.WaitForRunning(ctx, "there is a device for each pod", users[0])
		w.ScaleController(ctx, 2)
		w.InjectFault(ctx, operations.Fault{Method: operations.Allocate, Action: operations.Hang, Count: 1})
		w.CreatePodsOn(ctx, node, users[1:]...)
		w.WaitForFault(ctx, operations.Allocate)
		w.KillController(ctx)
		w.WaitForRunning(ctx, "another controller of the driver runs", users...)
	},
}
