// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// survivesDriverUpdate replaces the driver's pods on all nodes while a pod
// uses a device, and expects that the same containers run and that the new
// process knows the prepared claims. Then the pods are replaced on the same
// node.
var survivesDriverUpdate = forEachKind(
	[]string{"exclusive-survives-driver-update", "multi-host-survives-driver-update", "shared-survives-driver-update"},
	"keeps running while the driver is updated on all nodes, and the new version unprepares and prepares devices.",
	ofAllKinds("4381-containers-outlive-driver", "4381-driver-found-again", "4381-driver-prepares-after-restart", "4381-allocation-outlives-restarts"),
	[]env.Need{env.NeedsDriverUpdate},
	func(ctx context.Context, e *env.Env, k kind) {
		before := k.start(ctx, e, "before", pods.Options{})
		drivers.Update(ctx, e, before.device.Driver, before.node())
		before.expectNotRestarted(ctx, e, "the driver's update")
		before.replace(ctx, e)
	})
