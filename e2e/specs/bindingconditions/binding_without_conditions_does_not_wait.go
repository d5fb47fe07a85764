// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// bindingWithoutConditionsDoesNotWait publishes a device with binding conditions
// and one without, in the same pool. While a pod waits for the first, others use
// the second, and no device at all.
var bindingWithoutConditionsDoesNotWait = suite.Spec{
	ID:           "binding-without-conditions-does-not-wait",
	Description:  "While a pod waits for its device, pods with devices without binding conditions, and without devices, are bound.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     bindingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5007-without-conditions-no-wait"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fabric("card")
		inventory.Devices = append(inventory.Devices, fixture.Devices("disk").Devices...)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		pods.CreateWithRequests(ctx, e, "waits", fixture.RequestFor(sim, "card"))
		claims.WaitForAllocation(ctx, e, "waits", "its device is free")
		pods.CreateWithRequests(ctx, e, "other-device", fixture.RequestFor(sim, "disk"))
		pods.CreateUsingClaims(ctx, e, "no-device", pods.Options{})
		pods.WaitForScheduled(ctx, e, "other-device", "no-device")
		expectWaiting(ctx, e, map[string]string{"waits": "its device is not ready"})
		reportReady(ctx, e, "waits")
		pods.WaitForScheduled(ctx, e, "waits")
	},
}
