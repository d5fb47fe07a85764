// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// fullDiskFailsPrepare fills the disk with the driver's checkpoint, so that the
// driver cannot store another claim, creates a pod, and makes room on the disk
// when the driver has failed.
var fullDiskFailsPrepare = suite.Spec{
	ID:           "full-disk-fails-prepare",
	Description:  "A driver that cannot store a claim because its disk is full fails to prepare it, and the pod is not started. When there is room on the disk, the pod runs.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        diskNeeds,
	Requirements: []string{"4381-incomplete-prepare-fails"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		device.failToPrepare(ctx, e, "claim", operations.Disk{CheckpointFull: true})
		drivers.EmptyDisk(ctx, e, device.Driver, device.node)
		pods.WaitForRunning(ctx, e, "claim")
		drivers.WaitForPrepared(ctx, e, device.Driver, device.node, "claim")
	},
}
