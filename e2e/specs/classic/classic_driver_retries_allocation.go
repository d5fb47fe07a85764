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

// classicDriverRetriesAllocation makes allocations fail twice.
var classicDriverRetriesAllocation = suite.Spec{
	ID:           "classic-driver-retries-allocation",
	Description:  "An allocation that has failed is reported by an event and tried again, until the pod runs.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	MinNodes:     1,
	Needs:        []env.Need{env.NeedsClassicDriver},
	Requirements: []string{"3063-retries-allocation"},
	Body: func(ctx context.Context, e *env.Env) {
		w := classic.UseWorkers(ctx, e)
		w.InjectFault(ctx, operations.Fault{Method: operations.Allocate, Action: operations.Fail, Count: 2, Message: "the devices have no power"})
		w.CreatePodsOn(ctx, w.Nodes[0], "pod")
		w.WaitForFailureEvent(ctx, "the devices have no power")
		w.WaitForRunning(ctx, "the driver can allocate again", "pod")
	},
}
