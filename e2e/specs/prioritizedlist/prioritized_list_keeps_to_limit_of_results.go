// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// prioritizedListKeepsToLimitOfResults creates claims with two lists. The
// first subrequest of the second list needs one device less than an allocation
// may have. The first list gets two devices in one claim, and one device in
// another.
var prioritizedListKeepsToLimitOfResults = suite.Spec{
	ID:          "prioritized-list-keeps-to-limit-of-results",
	Description: "A subrequest is skipped if the claim would exceed the limit of devices in an allocation. One that reaches the limit is not.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    simulatedFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"4816-alternatives-and-the-limit",
	},
	Body: func(ctx context.Context, e *env.Env) {
		const limit = resourceapi.AllocationResultsMaxSize
		sim := simulated.CreateNodes(ctx, e, 1)
		names := []string{"disk"}
		for i := range limit + 1 {
			names = append(names, fmt.Sprintf("card-%d", i))
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices(names...))
		cards := func(count int64) devices.SubRequest {
			cards := fixture.SubRequestFor(sim, "card")
			cards.Count = count
			return cards
		}

		pods.CreateWithRequests(ctx, e, "beyond", []devices.Request{fixture.FirstAvailable("few", cards(2)), fixture.FirstAvailable("list", cards(limit-1), fixture.SubRequestFor(sim, "disk"))})
		expect.ScheduledFor(ctx, e, "beyond", "the first alternative would make one device too many", "few/card", "few/card", "list/disk")
		pods.DeleteWithClaim(ctx, e, "beyond")

		pods.CreateWithRequests(ctx, e, "within", []devices.Request{fixture.FirstAvailable("few", cards(1)), fixture.FirstAvailable("list", cards(limit-1), fixture.SubRequestFor(sim, "disk"))})
		expect.ScheduledFor(ctx, e, "within", "an allocation has room for both", append(slices.Repeat([]string{"list/card"}, limit-1), "few/card")...)
	},
}
