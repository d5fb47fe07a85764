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

// partitionOutlivesDriverRestart runs a container with a partition that exits again and again,
// restarts the driver, and compares what the next container reports with the allocation. Then
// it deletes the pod, and another one requests the whole device.
var partitionOutlivesDriverRestart = suite.Spec{
	ID:           "partition-outlives-driver-restart",
	Description:  "A container with a partition that is restarted after the driver was restarted sees the partition again. When its pod is deleted, the driver unprepares the partition, so that another pod gets the whole device.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     partitionFeatures,
	Component:    env.Driver,
	Kinds:        partitionKinds,
	Fields:       parentFields,
	Sees:         subject.Present,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsDriverRestart},
	Requirements: []string{"4381-started-again-with-devices", "4381-driver-found-again", "4381-unprepare-undoes-prepare"},
	Body: func(ctx context.Context, e *env.Env) {
		partition := findPartitionOnNode(ctx, e)
		pod := partition.startRestarting(ctx, e)
		allocated := partition.restartDriverAndContainer(ctx, e, pod)
		pods.ExpectContainerDevices(ctx, e, pod, pods.MainContainer, allocated)
		whole := partition.ofParentOf(ctx, e, e.Subject.Partitions.Whole, allocated[0])
		pods.DeleteWithClaim(ctx, e, "pod", pod)
		drivers.WaitForUnprepared(ctx, e, partition.Driver, partition.node, "pod")
		pods.WaitForRunning(ctx, e, whole.start(ctx, e, "whole"))
	},
}
