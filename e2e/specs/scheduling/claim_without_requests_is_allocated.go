// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// claimWithoutRequestsIsAllocated creates pods with a claim that requests nothing,
// alone and together with a claim for a device.
var claimWithoutRequestsIsAllocated = suite.Spec{
	ID:           "claim-without-requests-is-allocated",
	Description:  "A claim without requests needs no devices. A pod that uses it is scheduled to any node, or to one with the devices for its other claims.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-nothing-requested"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[1]}, fixture.Devices("card"))
		empty := devices.NewDeviceClaim(nil)
		pods.CreateWithClaimOnNode(ctx, e, "empty", sim.Names[0], empty)
		pods.WaitForScheduled(ctx, e, "empty")
		pods.CreateWithClaims(ctx, e, "with-card", empty, devices.NewDeviceClaim(fixture.RequestFor(sim, "card")))
		pods.WaitForScheduled(ctx, e, "with-card")
		pods.ExpectOnNode(ctx, e, "with-card", sim.Names[1], "only this node has the device for its other claim")
	},
}
