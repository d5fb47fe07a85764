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

// classicDriverSurvivesKill kills the controller of the driver while it allocates,
// before and after it has chosen a device.
var classicDriverSurvivesKill = suite.Spec{
	ID:           "classic-driver-survives-kill",
	Description:  "A controller that is killed in the middle of an allocation completes it when it runs again, and loses no device.",
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
		for i, action := range []operations.Fault{
			{Method: operations.Allocate, Action: operations.Hang, Count: 1},
			{Method: operations.Allocate, Action: operations.Lose, Count: 100, Message: "the response is lost"},
		} {
			w.InjectFault(ctx, action)
			w.CreatePodsOn(ctx, node, users[i])
			w.WaitForFault(ctx, operations.Allocate)
			w.KillController(ctx)
			w.WaitForRunning(ctx, "the driver runs again", users[i])
		}
		w.WaitForRunning(ctx, "there is a device for each pod", users...)
	},
}
