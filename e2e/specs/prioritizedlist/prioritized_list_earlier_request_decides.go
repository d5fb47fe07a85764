// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// prioritizedListEarlierRequestDecides creates a claim with two lists and a
// constraint that both get the same profile, where the choice with the best
// ranks in total is not the first request's preference. In a second claim, the
// first preference of one list leaves nothing for the other one.
var prioritizedListEarlierRequestDecides = suite.Spec{
	ID:          "prioritized-list-earlier-request-decides",
	Description: "Of two requests with subrequests, the first one gets its preferred subrequest, and a later one only if the second request cannot be satisfied otherwise.",
	Profile:     profile,
	Features:    subRequestFeatures,
	Component:   env.Scheduler,
	Since:       "1.36", // 1.34 and 1.35 lose the counters of devices that a constraint rejects.
	Kinds:       subRequestKinds,
	Fields:      []subject.Field{subject.PartitionParents, subject.PartitionProfile, subject.PartitionBig},
	MinNodes:    1,
	OneNode:     true,
	Requirements: []string{
		"4815-constraints-consume-nothing",
		"4816-earlier-requests-choose-first",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sub := findFreeSubRequests(ctx, e)

		// The combination of first/small and second/small has a better sum of
		// ranks.
		either := []devices.Request{fixture.FirstAvailable("first", sub.big, sub.small), fixture.FirstAvailable("second", sub.small, withName("same", sub.small), sub.big)}
		pods.CreateWithRequests(ctx, e, "keeps", either, devices.MatchProfile(e))
		expectRunningFor(ctx, e, "keeps", "a constraint demands one profile, and the first request prefers the big one", "first/big", "second/big")
		pods.DeleteWithClaim(ctx, e, "keeps")

		sub = findFreeSubRequests(ctx, e)
		pods.CreateWithRequests(ctx, e, "yields", []devices.Request{fixture.FirstAvailable("first", sub.whole, sub.small), fixture.FirstAvailable("second", sub.big, sub.small)})
		expectRunningFor(ctx, e, "yields", "the whole device leaves nothing for the second request", "first/small", "second/big")
	},
}
