// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceWithoutPolicy requests a device whose capacity has no policy,
// without an amount, and an amount of one of two such capacities of another device.
// Then it requests small amounts of the same devices.
var sharedDeviceWithoutPolicy = suite.Spec{
	ID:          "shared-device-without-policy",
	Description: "A share consumes all of each capacity that has no request policy and that is not requested, so that the device has no further share that needs some of it.",
	Profile:     profile,
	Features:    sharedDeviceFeatures,
	Component:   env.Scheduler,
	Since:       "1.36", // The scheduler of 1.34 finds no device for such a request.
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5075-full-amount-without-policy",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Load(data, "policies.yaml"))
		pods.CreateWithRequests(ctx, e, "all", fixture.RequestFor(sim, "plain"))
		expectConsumed(ctx, e, "all", memory("40Gi"))
		pods.CreateWithRequests(ctx, e, "all-slots", requestShare(sim, "unruled", memory("1Gi")))
		expectConsumed(ctx, e, "all-slots", slotsAndMemory(16, "1Gi"))

		pods.CreateWithRequests(ctx, e, "late", requestShare(sim, "plain", memory("1Gi")))
		pods.CreateWithRequests(ctx, e, "late-for-slots", requestShare(sim, "unruled", memory("1Gi")))
		pods.WaitForEachUnschedulable(ctx, e, map[string]string{
			"late": "claim all consumes all of the device's memory", "late-for-slots": "claim all-slots consumes all of the device's slots",
		})
		pods.CreateWithRequests(ctx, e, "no-slots", requestShare(sim, "unruled", slotsAndMemory(0, "39Gi")))
		expectConsumed(ctx, e, "no-slots", slotsAndMemory(0, "39Gi"))
	},
}
