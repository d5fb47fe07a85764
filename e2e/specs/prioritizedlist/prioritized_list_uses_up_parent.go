// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// prioritizedListUsesUpParent publishes a card with halves and quarters, and
// allocates a quarter. Three claims request the whole card, a half, or a
// quarter, in this order. Then the half is released.
var prioritizedListUsesUpParent = suite.Spec{
	ID:          "prioritized-list-uses-up-parent",
	Description: "Claims with the same list of partitions get smaller and smaller ones until their parent is used up, and then the first that fits what is released.",
	Profile:     profile,
	Features:    append([]features.Feature{features.Partitions}, simulatedFeatures...),
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"4816-first-that-fits",
		"4816-next-if-the-first-does-not-fit",
		"4816-refused-if-none-fits",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Load(data, "quarters.yaml"))
		sizes := []devices.Request{fixture.FirstAvailable("list", fixture.SubRequestFor(sim, "whole"), fixture.SubRequestFor(sim, "half"), fixture.SubRequestFor(sim, "quarter"))}

		pods.CreateWithRequests(ctx, e, "held", []devices.Request{{Name: "quarter", Device: fixture.SubRequestFor(sim, "quarter").Device}})
		pods.WaitForScheduled(ctx, e, "held")
		pods.CreateWithRequests(ctx, e, "second", sizes)
		expect.ScheduledFor(ctx, e, "second", "three quarters are left", "list/half")
		pods.CreateWithRequests(ctx, e, "third", sizes)
		expect.ScheduledFor(ctx, e, "third", "a quarter is left", "list/quarter")
		pods.CreateWithRequests(ctx, e, "fourth", sizes)
		pods.WaitForUnschedulable(ctx, e, "fourth", "nothing is left")
		pods.DeleteWithClaim(ctx, e, "second")
		expect.ScheduledFor(ctx, e, "fourth", "a half was released", "list/half")
	},
}
