// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// partitionReleaseReturnsCounters uses up the counters of one parent device
// with the partitions of one claim. A pod that requests one more partition of
// this parent waits until that claim is deleted.
var partitionReleaseReturnsCounters = suite.Spec{
	ID:          "partition-release-returns-counters",
	Description: "A pod that needs a partition is unschedulable while the counters are used up, and runs when they are released.",
	Profile:     profile,
	Features:    []features.Feature{features.Core, features.Partitions},
	Component:   env.Scheduler,
	Kinds:       []subject.Kind{subject.KindPartition},
	Fields:      []subject.Field{subject.PartitionParents, subject.PartitionFull},
	MinNodes:    1,
	OneNode:     true,
	Requirements: []string{
		"4815-counters-of-the-pool",
		"4815-refused-without-counters",
		"4815-counters-across-claims",
		"4815-release-returns-counters",
	},
	Body: func(ctx context.Context, e *env.Env) {
		partitions := e.Subject.Partitions
		full := make([]devices.Request, 0, len(partitions.Full))
		for i, device := range partitions.Full {
			full = append(full, devices.Request{Name: fmt.Sprintf("partition-%d", i), Device: device})
		}
		pods.CreateWithRequests(ctx, e, "full", full, devices.MatchParent(e))
		parent := devices.GetParent(ctx, e, partitions.Parents, pods.WaitForRunning(ctx, e, "full")[0])

		// This claim requests one more partition of the same parent device.
		pods.CreateWithRequests(ctx, e, "late", []devices.Request{{Name: "partition", Device: partitions.OfParent(partitions.Small, parent)}})
		pods.WaitForUnschedulable(ctx, e, "late", "its parent's counters are used up by claim full")

		pods.DeleteWithClaim(ctx, e, "full")
		late := pods.WaitForRunning(ctx, e, "late")
		gomega.Expect(devices.GetParent(ctx, e, partitions.Parents, late[0])).To(gomega.Equal(parent), "claim late selects devices of one parent")
	},
}
