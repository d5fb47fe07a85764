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

// prioritizedListFallsBack allocates a partition. A second claim prefers the
// whole device that it is a part of to another partition.
var prioritizedListFallsBack = suite.Spec{
	ID:          "prioritized-list-falls-back",
	Description: "If the first subrequest does not fit, the next one is allocated, and the result names it as request/subrequest.",
	Profile:     profile,
	Features:    subRequestFeatures,
	Component:   env.Scheduler,
	Kinds:       subRequestKinds,
	Fields:      []subject.Field{subject.PartitionParents},
	MinNodes:    1,
	OneNode:     true,
	Requirements: []string{
		"4816-one-alternative",
		"4816-next-if-the-first-does-not-fit",
		"4816-result-names-the-alternative",
	},
	Body: func(ctx context.Context, e *env.Env) {
		pods.CreateWithRequests(ctx, e, "held", []devices.Request{{Name: "partition", Device: e.Subject.Partitions.Small}})
		sub := subRequestsOfParent(e, devices.GetParent(ctx, e, e.Subject.Partitions.Parents, pods.WaitForRunning(ctx, e, "held")[0]))

		pods.CreateWithRequests(ctx, e, "list", []devices.Request{fixture.FirstAvailable("list", sub.whole, sub.small)})
		expectRunningFor(ctx, e, "list", "claim held holds a partition of the whole device", "list/small")
	},
}
