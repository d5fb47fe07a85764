// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicDriverGivesImmediateDevicesOnce creates one more claim than there are devices, and
// deletes one of those that are allocated.
var classicDriverGivesImmediateDevicesOnce = suite.Spec{
	ID:           "classic-driver-gives-immediate-devices-once",
	Description:  "A claim that is to be allocated immediately waits while other claims have all devices, and gets one that is free again.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     earlierFeatures,
	Component:    env.Driver,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicControllers},
	Requirements: []string{"3063-immediate-retries", "3063-immediate-frees-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.CreateEarlierDriver(ctx, e, 1, 2, nil)
		for _, name := range []string{"first", "second"} {
			d.CreateClaim(ctx, name, classic.Immediate)
			d.WaitForClaim(ctx, name, "there is a device for each claim", d.Allocated)
		}
		d.CreateClaim(ctx, "third", classic.Immediate)
		d.ExpectClaimStays(ctx, "third", "other claims have all devices", classic.Pending)
		d.DeleteClaim(ctx, "first")
		d.WaitForClaimRemoved(ctx, "first", "no pod uses the claim")
		d.WaitForClaim(ctx, "third", "a device is free again", d.Allocated)
		d.ExpectClaimStays(ctx, "second", "nobody has deleted it", d.Allocated)
	},
}
