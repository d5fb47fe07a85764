// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// prioritizedListReleasedLetsPodsIn allocates a device to a pod, and creates a second pod
// for which only the last alternative of a list selects a device: this one. Then the first
// pod is deleted. Nothing else changes. [prioritizedListWaitsUntilOneFits] has devices of
// drivers, and does not run alone.
var prioritizedListReleasedLetsPodsIn = suite.Spec{
	ID:           "prioritized-list-released-lets-pods-in",
	Description:  "A pod with a list that waits for a device is scheduled when the claim that has the device is deallocated, also if only the last subrequest selects the device.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     simulatedFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Alone:        true,
	Requirements: []string{"4816-released-devices-wake-pods"},
	Body: func(ctx context.Context, e *env.Env) {
		e.BoundWakeUps()
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		pods.CreateWithRequests(ctx, e, "holder", fixture.RequestFor(sim, "card"))
		pods.WaitForScheduled(ctx, e, "holder")
		absent, card := fixture.SubRequestFor(sim, "absent"), fixture.SubRequestFor(sim, "card")
		pods.CreateWithRequests(ctx, e, "waiting", []devices.Request{fixture.FirstAvailable("list", absent, card)})
		pods.WaitForUnschedulable(ctx, e, "waiting", "claim holder has the only device")
		pods.Delete(ctx, e, "holder")
		claims.WaitForDeallocated(ctx, e, "holder")
		expect.ScheduledFor(ctx, e, "waiting", "no device is selected by the other alternative", "list/card")
	},
}
