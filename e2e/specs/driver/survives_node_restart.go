// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite/components"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// A restarted node has lost everything in memory, such as CDI specs. Drivers
// must therefore prepare claims again that they have recorded as prepared.
var survivesNodeRestart = forEachKind(
	[]string{"exclusive-survives-node-restart", "multi-host-survives-node-restart", "shared-survives-node-restart"},
	"runs again with the same device after its node is restarted, and the node unprepares and prepares devices.",
	ofAllKinds("4381-prepare-is-idempotent", "4381-cdi-files-after-node-restart", "4381-allocation-outlives-restarts"),
	[]env.Need{env.NeedsNodes},
	func(ctx context.Context, e *env.Env, k kind) {
		before := k.start(ctx, e, "before", pods.Options{Restarts: true})
		components.RestartNode(ctx, e, before.device.Driver, before.node())
		pods.WaitForContainerReplaced(ctx, e, before.containers[0], "the node's restart")
		for _, container := range before.containers[1:] {
			pods.ExpectNotRestarted(ctx, e, container, "the restart of another node")
		}
		before.expectSameDevices(ctx, e, "the node's restart")
		before.replace(ctx, e)
	})
