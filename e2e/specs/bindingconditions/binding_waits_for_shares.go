// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"
	"slices"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// bindingWaitsForShares creates two claims that share a device with binding conditions. The
// device becomes ready for one of them first.
var bindingWaitsForShares = suite.Spec{
	ID:           "binding-waits-for-shares",
	Description:  "A pod with a share of a device is bound to a node only when the device is ready for its claim. That it is ready for another claim with a share of it does not count.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append(slices.Clone(bindingFeatures), features.SharedDevices),
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5007-conditions-are-recorded", "5007-waits-for-all-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		nic := attachable(fixture.SharedDevices(nil, "nic"))
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, nic)
		for _, pod := range []string{"first", "second"} {
			pods.CreateWithClaim(ctx, e, pod, devices.NewDeviceClaim(fixture.RequestFor(sim, "nic")))
			for _, result := range claims.WaitForAllocation(ctx, e, pod, "its device has free shares").Results {
				expectRecorded(result, nic.Devices[0])
			}
		}
		reportReady(ctx, e, "first")
		expectWaiting(ctx, e, map[string]string{"second": "its device is ready for another claim only"})
		pods.WaitForScheduled(ctx, e, "first")
		reportReady(ctx, e, "second")
		pods.WaitForScheduled(ctx, e, "second")
	},
}
