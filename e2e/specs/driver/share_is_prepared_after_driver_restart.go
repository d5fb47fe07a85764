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
	"github.com/draconform/draconform/e2e/suite/pods"
)

// shareIsPreparedAfterDriverRestart restarts the driver while a pod uses a share, and
// starts another pod with a share of the same device. The first one is then replaced by a
// third one.
var shareIsPreparedAfterDriverRestart = suite.Spec{
	ID:           "share-is-prepared-after-driver-restart",
	Description:  "A driver that is restarted while a share of a device is in use prepares further shares of this device, and unprepares the earlier one without an effect on these.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core, features.SharedDevices},
	Component:    env.Driver,
	Kinds:        []subject.Kind{subject.KindShared},
	Fields:       []subject.Field{subject.SharedIdentity},
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsDriverRestart},
	Requirements: []string{"4381-driver-prepares-after-restart", "4381-driver-found-again", "4381-unprepares-what-is-named"},
	Body: func(ctx context.Context, e *env.Env) {
		share := findShareOnNode(ctx, e)
		before := share.run(ctx, e, "before")
		drivers.Restart(ctx, e, share.Driver, share.node)
		share = share.ofDeviceOf(ctx, e, "before")
		second := share.run(ctx, e, "second")
		pods.ExpectNotRestarted(ctx, e, before, "the driver's restart and the start of another pod")

		pods.DeleteWithClaim(ctx, e, "before", before.Pod)
		drivers.WaitForUnprepared(ctx, e, share.Driver, share.node, "before")
		drivers.WaitForPrepared(ctx, e, share.Driver, share.node, "second")
		share.run(ctx, e, "after")
		pods.ExpectNotRestarted(ctx, e, second, "the end of the earlier share")
	},
}
