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

// fullDiskFailsUnprepare fills the disk with the driver's checkpoint and deletes a pod, so
// that the driver may remove the CDI file of its claim, and cannot store that the claim is
// not prepared any more. It makes room on the disk when the driver has answered.
var fullDiskFailsUnprepare = suite.Spec{
	ID:           "full-disk-fails-unprepare",
	Description:  "A driver that cannot store that it has unprepared a claim, because its disk is full, does not report the claim as unprepared. When there is room on the disk, the driver unprepares the claim, and the pod is removed.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        diskNeeds,
	Requirements: []string{"4381-incomplete-unprepare-fails", "4381-unprepare-is-idempotent"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		pod := device.start(ctx, e, "claim")
		pods.WaitForRunning(ctx, e, pod)
		drivers.FillDisk(ctx, e, device.Driver, device.node, operations.Disk{CheckpointFull: true})
		pods.DeleteWithoutWaiting(ctx, e, pod)
		drivers.WaitForAnswer(ctx, e, device.Driver, device.node, operations.Unprepare, "claim")
		drivers.EmptyDisk(ctx, e, device.Driver, device.node)
		pods.WaitForDeleted(ctx, e, pod)
		drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, "claim")
		pods.WaitForRunning(ctx, e, device.start(ctx, e, "after"))
	},
}
