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

// prioritizedListConstraintBySubrequest creates a claim with a small partition
// and a list of two equal subrequests. A constraint on the profile names one
// of them, which violates it. In a second claim, the list is the first
// request.
var prioritizedListConstraintBySubrequest = suite.Spec{
	ID:          "prioritized-list-constraint-by-subrequest",
	Description: "A constraint that names a subrequest applies to it, and not to the other subrequests of its request.",
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
		"4816-constraint-for-one-alternative",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sub := findFreeSubRequests(ctx, e)
		anchor := sub.anchor()

		// Both subrequests violate the constraint, but it applies only to the
		// first one.
		pods.CreateWithRequests(ctx, e, "list", []devices.Request{anchor, fixture.FirstAvailable("list", withName("bound", sub.big), withName("free", sub.big))}, devices.MatchProfile(e, "anchor", "list/bound"))
		expectRunningFor(ctx, e, "list", "a constraint demands the anchor's profile of list/bound and of no other alternative", "anchor", "list/free")
		pods.DeleteWithClaim(ctx, e, "list")

		sub = findFreeSubRequests(ctx, e)
		pods.CreateWithRequests(ctx, e, "before", []devices.Request{fixture.FirstAvailable("list", sub.big, sub.small), sub.anchor()}, devices.MatchProfile(e, "list/big", "anchor"))
		expectRunningFor(ctx, e, "before", "a constraint demands the profile of list/big of the anchor, which has another one", "list/small", "anchor")
	},
}
