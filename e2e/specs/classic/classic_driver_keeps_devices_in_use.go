// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicDriverKeepsDevicesInUse deletes a claim that was allocated immediately and that is
// reserved for a pod, and creates another claim while there is no other device.
var classicDriverKeepsDevicesInUse = suite.Spec{
	ID:           "classic-driver-keeps-devices-in-use",
	Description:  "A driver does not deallocate a claim that was deleted while a pod uses it, and gives its device to no other claim before the pod is gone.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     earlierFeatures,
	Component:    env.Driver,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicControllers},
	Requirements: []string{"3063-immediate-frees-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.CreateEarlierDriver(ctx, e, 1, 1, nil)
		d.CreateClaim(ctx, "used", classic.Immediate)
		d.WaitForClaim(ctx, "used", "there is a device", d.Allocated)
		d.Reserve(ctx, "used", d.CreateUnscheduledPod(ctx, "user", "used"))
		d.DeleteClaim(ctx, "used")
		d.CreateClaim(ctx, "waiting", classic.Immediate)
		d.ExpectClaimStays(ctx, "waiting", "the pod of the deleted claim uses the only device", classic.Pending)
		d.ExpectClaimStays(ctx, "used", "a pod uses it", d.Allocated)
		d.Reserve(ctx, "used")
		d.WaitForClaimRemoved(ctx, "used", "no pod uses the claim any more")
		d.WaitForClaim(ctx, "waiting", "the device is free", d.Allocated)
	},
}
