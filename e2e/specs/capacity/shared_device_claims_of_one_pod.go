// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceClaimsOfOnePod creates a pod with two claims for a device with
// one slot, and one with two claims for a device with two slots.
var sharedDeviceClaimsOfOnePod = suite.Spec{
	ID:          "shared-device-claims-of-one-pod",
	Description: "Two claims of one pod get shares of a device with enough capacity for both, and the pod is pending if the capacity suffices for one.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    sharedDeviceFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5075-claims-of-one-pod",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Load(data, "nics.yaml"))
		pair := func(device string) {
			claim := devices.NewDeviceClaim(fixture.RequestFor(sim, device))
			pods.CreateWithClaims(ctx, e, device, claim, claim)
		}

		pair("one")
		pods.WaitForUnschedulable(ctx, e, "one", "its claims need two slots of a device with one")
		pair("two")
		pods.WaitForScheduled(ctx, e, "two")
	},
}
