// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// survivesDriverRestart kills the driver's process on a node while a pod uses
// a device, and expects that the same containers run and that the new process
// knows the prepared claims. Then the pods are replaced on the same node.
var survivesDriverRestart = forEachKind(
	[]string{"exclusive-survives-driver-restart", "multi-host-survives-driver-restart", "shared-survives-driver-restart"},
	"keeps running when the driver's process is killed, and the new process unprepares and prepares devices as before.",
	ofAllKinds("4381-containers-outlive-driver", "4381-driver-found-again", "4381-driver-prepares-after-restart", "4381-allocation-outlives-restarts"),
	[]env.Need{env.NeedsDriverRestart},
	func(ctx context.Context, e *env.Env, k kind) {
		before := k.start(ctx, e, "before", pods.Options{})
		drivers.Restart(ctx, e, before.device.Driver, before.node())
		before.expectNotRestarted(ctx, e, "the driver's restart")
		before.replace(ctx, e)
	})
