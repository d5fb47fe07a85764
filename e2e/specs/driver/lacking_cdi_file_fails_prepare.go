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

// lackingCDIFileFailsPrepare fills the disk with the CDI files, so that the driver
// has room for the first bytes of a file only, creates a pod, and makes room on
// the disk when the driver has failed. Until then there must be no part of a file.
var lackingCDIFileFailsPrepare = suite.Spec{
	ID:           "lacking-cdi-file-fails-prepare",
	Description:  "A driver that fails to write the CDI file of a claim in the middle of the file fails to prepare the claim and leaves no file. When there is room on the disk, the driver writes the file, and the pod runs.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        diskNeeds,
	Requirements: []string{"4381-incomplete-prepare-fails", "4381-cdi-files-are-whole"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		device.failToPrepare(ctx, e, "claim", operations.Disk{SpecsFull: true})
		drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, "claim")
		drivers.EmptyDisk(ctx, e, device.Driver, device.node)
		pods.WaitForRunning(ctx, e, "claim")
		drivers.WaitForPrepared(ctx, e, device.Driver, device.node, "claim")
	},
}
