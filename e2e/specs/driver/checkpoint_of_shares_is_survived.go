// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// checkpointOfSharesIsSurvived removes the checkpoint of a driver while two pods use shares
// of a device, and restarts the driver. One of the shares is then replaced by another one.
var checkpointOfSharesIsSurvived = suite.Spec{
	ID:           "checkpoint-of-shares-is-survived",
	Description:  "A driver whose checkpoint is lost knows at its next start which shares of a device are in use: their pods keep running, and it unprepares one of them and prepares another one.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core, features.SharedDevices},
	Component:    env.Driver,
	Kinds:        []subject.Kind{subject.KindShared},
	Fields:       []subject.Field{subject.SharedIdentity},
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsDriverDisks, env.NeedsDriverRestart},
	Requirements: []string{"4381-checkpoint-is-survived"},
	Body: func(ctx context.Context, e *env.Env) {
		share := findShareOnNode(ctx, e)
		goes := share.run(ctx, e, "goes")
		share = share.ofDeviceOf(ctx, e, "goes")
		stays := share.run(ctx, e, "stays")
		drivers.DamageCheckpoint(ctx, e, share.Driver, share.node, operations.Lost)
		drivers.Restart(ctx, e, share.Driver, share.node)
		pods.ExpectNotRestarted(ctx, e, goes, "the loss of the driver's checkpoint")

		pods.DeleteWithClaim(ctx, e, "goes", goes.Pod)
		drivers.WaitForUnprepared(ctx, e, share.Driver, share.node, "goes")
		drivers.WaitForPrepared(ctx, e, share.Driver, share.node, "stays")
		share.run(ctx, e, "after")
		pods.ExpectNotRestarted(ctx, e, stays, "the loss of the driver's checkpoint, and the end of the other share")
	},
}
