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

// classicDriverSurvivesKillWhileItFrees kills the controller of the driver while it
// deallocates claims, before and after it has freed their devices.
var classicDriverSurvivesKillWhileItFrees = suite.Spec{
	ID:           "classic-driver-survives-kill-while-it-frees",
	Description:  "A controller that is killed in the middle of a deallocation completes it when it runs again, and the device is free.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	MinNodes:     1,
	Needs:        []env.Need{env.NeedsClassicDriver},
	Requirements: []string{"3063-driver-continues"},
	Body: func(ctx context.Context, e *env.Env) {
		w := classic.UseWorkers(ctx, e)
		users := w.FillNode(ctx, w.Nodes[0], "user", "there is a device for each pod")
		for i, action := range []operations.Fault{
			{Method: operations.Deallocate, Action: operations.Hang, Count: 1},
			{Method: operations.Deallocate, Action: operations.Lose, Count: 100, Message: "the response is lost"},
		} {
			w.InjectFault(ctx, action)
			w.DeletePods(ctx, false, users[i])
			w.DeleteClaim(ctx, users[i])
			w.WaitForFault(ctx, operations.Deallocate)
			w.KillController(ctx)
			w.WaitForClaimRemoved(ctx, users[i], "the driver runs again")
		}
		w.FillNode(ctx, w.Nodes[0], "next", "the devices are free again")
	},
}
