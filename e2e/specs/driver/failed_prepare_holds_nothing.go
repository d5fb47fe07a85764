// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// failedPrepareHoldsNothing fills the disk with the CDI files until the driver has
// failed to prepare the claim of a pod, and deletes the pod while the disk is still
// full. Then another pod requests the whole device that the claim had a part of.
var failedPrepareHoldsNothing = suite.Spec{
	ID:           "failed-prepare-holds-nothing",
	Description:  "A pod is deleted although the driver has never succeeded in preparing its claim, because its disk is full. Nothing of the claim is left, and another pod gets the whole device.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Fields:       []subject.Field{subject.ExclusiveParents},
	MinNodes:     1,
	OneNode:      true,
	Needs:        diskNeeds,
	Requirements: []string{"4381-failed-prepare-holds-nothing"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		device.failToPrepare(ctx, e, "claim", operations.Disk{SpecsFull: true})
		whole := device.whole(ctx, e, claims.GetDevicesForRequest(ctx, e, "claim", "device")[0])
		pods.DeleteWithClaim(ctx, e, "claim", "claim")
		drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, "claim")
		drivers.EmptyDisk(ctx, e, device.Driver, device.node)
		pods.WaitForRunning(ctx, e, whole.start(ctx, e, "whole"))
	},
}
