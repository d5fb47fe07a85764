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

// prioritizedListConstraintByRequest creates claims with a small partition and
// a list that prefers a big one to a small one, without a constraint and with
// a constraint that both have the same profile. The list is the second
// request, and then the first.
var prioritizedListConstraintByRequest = suite.Spec{
	ID:          "prioritized-list-constraint-by-request",
	Description: "A constraint that names a request applies to each of its subrequests, and a subrequest that violates it is skipped.",
	Profile:     profile,
	Features:    subRequestFeatures,
	Component:   env.Scheduler,
	Kinds:       subRequestKinds,
	Fields:      []subject.Field{subject.PartitionParents, subject.PartitionProfile, subject.PartitionBig},
	MinNodes:    1,
	OneNode:     true,
	Requirements: []string{
		"4816-constraint-for-all-alternatives",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sub := findFreeSubRequests(ctx, e)
		anchor := sub.anchor()

		pods.CreateWithRequests(ctx, e, "free", []devices.Request{anchor, fixture.FirstAvailable("list", sub.big, sub.small)})
		expectRunningFor(ctx, e, "free", "the first alternative fits together with the anchor", "anchor", "list/big")
		pods.DeleteWithClaim(ctx, e, "free")

		pods.CreateWithRequests(ctx, e, "bound", []devices.Request{anchor, fixture.FirstAvailable("list", sub.big, sub.small)}, devices.MatchProfile(e, "anchor", "list"))
		expectRunningFor(ctx, e, "bound", "a constraint demands the anchor's profile of the list", "anchor", "list/small")
		pods.DeleteWithClaim(ctx, e, "bound")

		sub = findFreeSubRequests(ctx, e)
		pods.CreateWithRequests(ctx, e, "before", []devices.Request{fixture.FirstAvailable("list", sub.big, sub.small), sub.anchor()}, devices.MatchProfile(e, "list", "anchor"))
		expectRunningFor(ctx, e, "before", "a constraint demands the list's profile of the anchor, which has another one than the first alternative", "list/small", "anchor")
	},
}
