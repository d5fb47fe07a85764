// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// otherDevicesHaveOneUser publishes one device that does not allow multiple
// allocations. Two requests of a claim, two claims of a pod, and the claims of
// two pods ask for it.
var otherDevicesHaveOneUser = suite.Spec{
	ID:          "other-devices-have-one-user",
	Description: "A device that does not allow multiple allocations is allocated to one request of one claim, and to the next claim only after that.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    []features.Feature{features.Core},
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5075-others-once",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("nic"))
		device := sim.Device("")
		claim := devices.NewDeviceClaim(fixture.AnyDevice(sim))

		pods.CreateWithRequests(ctx, e, "two-requests", []devices.Request{{Name: "one", Device: device}, {Name: "two", Device: device}})
		pods.CreateWithClaims(ctx, e, "two-claims", claim, claim)
		pods.WaitForAllUnschedulable(ctx, e, "there is one device", "two-requests", "two-claims")

		pods.CreateWithClaim(ctx, e, "first", claim)
		pods.WaitForScheduled(ctx, e, "first")
		pods.CreateWithClaim(ctx, e, "second", claim)
		pods.WaitForUnschedulable(ctx, e, "second", "claim first has the only device")
		pods.DeleteWithClaim(ctx, e, "first")
		pods.WaitForScheduled(ctx, e, "second")
	},
}
