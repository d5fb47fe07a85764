// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicImmediateDriverContinues kills the driver, which has two devices, and creates and
// deletes claims before the next process starts. In the end there is one claim too many.
var classicImmediateDriverContinues = suite.Spec{
	ID:           "classic-immediate-driver-continues",
	Description:  "A driver that was killed allocates claims immediately that were created meanwhile, frees the devices of those that were deleted, and keeps those of others.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     earlierFeatures,
	Component:    env.Driver,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicControllers},
	Requirements: []string{"3063-immediate-continues", "3063-immediate-frees-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.CreateEarlierDriver(ctx, e, 1, 2, nil)
		for _, name := range []string{"staying", "before"} {
			d.CreateClaim(ctx, name, classic.Immediate)
			d.WaitForClaim(ctx, name, "there is a device for each claim", d.Allocated)
		}
		d.KillController()
		d.CreateClaim(ctx, "meanwhile", classic.Immediate)
		d.DeleteClaim(ctx, "before")
		d.ExpectClaimStays(ctx, "meanwhile", "its driver does not run", classic.Pending)
		d.StartController(ctx)
		d.WaitForClaimRemoved(ctx, "before", "its driver runs again")
		d.WaitForClaim(ctx, "meanwhile", "a device is free, and the driver runs again", d.Allocated)
		d.CreateClaim(ctx, "surplus", classic.Immediate)
		d.ExpectClaimStays(ctx, "surplus", "other claims have all devices, one of them since before the driver was killed", classic.Pending)
	},
}
