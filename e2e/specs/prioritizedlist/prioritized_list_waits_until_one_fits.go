// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// prioritizedListWaitsUntilOneFits uses up a parent device with the partitions
// of one claim. A pod with a list for the whole device or a partition waits
// until that claim is deleted.
var prioritizedListWaitsUntilOneFits = suite.Spec{
	ID:          "prioritized-list-waits-until-one-fits",
	Description: "A pod is unschedulable while no subrequest of its claim fits, and gets the first one that fits once devices are released.",
	Profile:     profile,
	Features:    subRequestFeatures,
	Component:   env.Scheduler,
	Kinds:       subRequestKinds,
	Fields:      []subject.Field{subject.PartitionParents, subject.PartitionFull},
	MinNodes:    1,
	OneNode:     true,
	Requirements: []string{
		"4816-refused-if-none-fits",
	},
	Body: func(ctx context.Context, e *env.Env) {
		partitions := e.Subject.Partitions
		full := make([]devices.Request, 0, len(partitions.Full))
		for i, device := range partitions.Full {
			full = append(full, devices.Request{Name: fmt.Sprintf("partition-%d", i), Device: device})
		}
		pods.CreateWithRequests(ctx, e, "full", full, devices.MatchParent(e))
		sub := subRequestsOfParent(e, devices.GetParent(ctx, e, partitions.Parents, pods.WaitForRunning(ctx, e, "full")[0]))

		pods.CreateWithRequests(ctx, e, "late", []devices.Request{fixture.FirstAvailable("list", sub.whole, sub.small)})
		reason := pods.WaitForUnschedulable(ctx, e, "late", "claim full leaves room for none of its alternatives")
		gomega.Expect(reason).NotTo(gomega.BeEmpty(), "the scheduler should report why a pod is unschedulable")

		pods.DeleteWithClaim(ctx, e, "full")
		expectRunningFor(ctx, e, "late", "all of it fits again and the whole device is preferred", "list/whole")
	},
}
