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

// prioritizedListTakesFirst creates two claims for the same free device: one
// that prefers the whole device to a partition, and one that prefers the
// partition.
var prioritizedListTakesFirst = suite.Spec{
	ID:          "prioritized-list-takes-first",
	Description: "Of the subrequests that fit, the first in the list is allocated, whether it is larger or smaller.",
	Profile:     profile,
	Smoke:       true,
	Features:    subRequestFeatures,
	Component:   env.Scheduler,
	Kinds:       subRequestKinds,
	Fields:      []subject.Field{subject.PartitionParents},
	MinNodes:    1,
	OneNode:     true,
	Requirements: []string{
		"4816-alternative-defaults",
		"4816-one-alternative",
		"4816-first-that-fits",
		"4816-result-names-the-alternative",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sub := findFreeSubRequests(ctx, e)

		pods.CreateWithRequests(ctx, e, "larger", []devices.Request{fixture.FirstAvailable("list", sub.whole, sub.small)})
		expectRunningFor(ctx, e, "larger", "both alternatives fit and the whole device is preferred", "list/whole")
		pods.DeleteWithClaim(ctx, e, "larger")

		pods.CreateWithRequests(ctx, e, "smaller", []devices.Request{fixture.FirstAvailable("list", sub.small, sub.whole)})
		expectRunningFor(ctx, e, "smaller", "both alternatives fit and the partition is preferred", "list/small")
	},
}
