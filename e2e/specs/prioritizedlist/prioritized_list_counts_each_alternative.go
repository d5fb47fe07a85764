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

// prioritizedListCountsEachAlternative requests two whole devices of one
// parent, or else two partitions of it.
var prioritizedListCountsEachAlternative = suite.Spec{
	ID:          "prioritized-list-counts-each-alternative",
	Description: "A subrequest fits if as many devices as its count are free, and exactly that many are allocated.",
	Profile:     profile,
	Features:    subRequestFeatures,
	Component:   env.Scheduler,
	Kinds:       subRequestKinds,
	Fields:      []subject.Field{subject.PartitionParents},
	MinNodes:    1,
	OneNode:     true,
	Requirements: []string{
		"4816-next-if-the-first-does-not-fit",
		"4816-count-of-an-alternative",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sub := findFreeSubRequests(ctx, e)

		pods.CreateWithRequests(ctx, e, "list", []devices.Request{fixture.FirstAvailable("list", twoOf(sub.whole), twoOf(sub.small))})
		expectRunningFor(ctx, e, "list", "a parent is one whole device and not two", "list/small", "list/small")
	},
}
