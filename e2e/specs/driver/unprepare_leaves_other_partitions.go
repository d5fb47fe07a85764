// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// unprepareLeavesOtherPartitions runs two pods with a partition of the same parent each, the
// second of which has a container that exits again and again, and deletes the first one with its
// claim. It compares what the next container of the second pod reports with the allocation, and
// runs another pod with a partition of this parent.
var unprepareLeavesOtherPartitions = suite.Spec{
	ID:           "unprepare-leaves-other-partitions",
	Description:  "When one of two partitions of a device is unprepared, the other one stays prepared: a container that is restarted sees it again, and another pod gets a partition of the device.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     partitionFeatures,
	Component:    env.Driver,
	Kinds:        partitionKinds,
	Fields:       parentFields,
	Sees:         subject.Present,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4381-unprepares-what-is-named"},
	Body: func(ctx context.Context, e *env.Env) {
		partition := findPartitionOnNode(ctx, e)
		goes := partition.start(ctx, e, "goes")
		sibling := partition.ofParentOf(ctx, e, partition.Device, pods.WaitForRunning(ctx, e, goes)[0])
		stays := sibling.startRestarting(ctx, e)

		pods.DeleteWithClaim(ctx, e, "goes", goes)
		drivers.WaitForUnprepared(ctx, e, partition.Driver, partition.node, "goes")
		drivers.WaitForPrepared(ctx, e, partition.Driver, partition.node, "pod")
		allocated := pods.WaitForContainerRestarted(ctx, e, stays, pods.GetRestartCount(ctx, e, stays)+1)
		pods.ExpectContainerDevices(ctx, e, stays, pods.MainContainer, allocated)
		sibling.run(ctx, e, "next")
	},
}
