// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// partitionExcludesWhole allocates a partition, and requests the whole device
// that it is a part of. The partition is deleted and requested again while the
// whole device is allocated, which is then deleted too.
var partitionExcludesWhole = suite.Spec{
	ID:          "partition-excludes-whole",
	Description: "A whole device and its partitions exclude each other, in either order.",
	Profile:     profile,
	Smoke:       true,
	Features:    []features.Feature{features.Core, features.Partitions},
	Component:   env.Scheduler,
	Kinds:       []subject.Kind{subject.KindPartition},
	Fields:      []subject.Field{subject.PartitionParents},
	MinNodes:    1,
	OneNode:     true,
	Requirements: []string{
		"4815-counters-of-the-pool",
		"4815-refused-without-counters",
		"4815-counters-across-claims",
		"4815-release-returns-counters",
		"4815-whole-and-partitions-exclude-each-other",
	},
	Body: func(ctx context.Context, e *env.Env) {
		partitions := e.Subject.Partitions
		pods.CreateWithRequests(ctx, e, "partition", []devices.Request{{Name: "partition", Device: partitions.Small}})
		parent := devices.GetParent(ctx, e, partitions.Parents, pods.WaitForRunning(ctx, e, "partition")[0])

		whole := []devices.Request{{Name: "whole", Device: partitions.OfParent(partitions.Whole, parent)}}
		pods.CreateWithRequests(ctx, e, "whole", whole)
		pods.WaitForUnschedulable(ctx, e, "whole", "claim partition holds a partition of that device")

		pods.DeleteWithClaim(ctx, e, "partition")
		pods.WaitForRunning(ctx, e, "whole")

		again := []devices.Request{{Name: "partition", Device: partitions.OfParent(partitions.Small, parent)}}
		pods.CreateWithRequests(ctx, e, "again", again)
		pods.WaitForUnschedulable(ctx, e, "again", "claim whole holds the whole device")

		pods.DeleteWithClaim(ctx, e, "whole")
		pods.WaitForRunning(ctx, e, "again")
	},
}
