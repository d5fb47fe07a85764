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

// classicPodUsesSeveralClaims creates a pod with a claim for each device of a node, and kills
// the controller of the driver after it has chosen the devices.
var classicPodUsesSeveralClaims = suite.Spec{
	ID:           "classic-pod-uses-several-claims",
	Description:  "A pod with several claims of a driver that is killed in the middle of their allocation runs, and its container sees the devices of all of them.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	MinNodes:     1,
	Needs:        []env.Need{env.NeedsClassicDriver},
	Requirements: []string{"3063-several-claims", "3063-driver-continues"},
	Body: func(ctx context.Context, e *env.Env) {
		w := classic.UseWorkers(ctx, e)
		claims := w.Names("claim", w.DevicesPerNode())
		w.CreateClaims(ctx, claims...)
		w.InjectFault(ctx, operations.Fault{Method: operations.Allocate, Action: operations.Lose, Count: 100, Message: "the response is lost"})
		w.CreatePodOn(ctx, "pod", w.Nodes[0], claims...)
		w.WaitForFault(ctx, operations.Allocate)
		w.KillController(ctx)
		w.WaitForDevices(ctx, "pod", "the driver runs again", claims...)
	},
}
