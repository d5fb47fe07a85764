// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite/components"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// survivesNodeRestart runs a pod and restarts its node, which then has lost
// everything in memory, such as CDI specs. The driver must prepare the claim
// again although it has recorded it as prepared: the container starts again
// with the same device, and containers on other nodes are not restarted.
// Finally the pod is replaced by another one on the same node, for which the
// driver must unprepare and prepare the device.
//
// A node that is a container has the kernel of its host. A driver that recognises a
// reboot by the ID of the boot takes its restart for that of the driver, so that the specs
// need subject.CDIRestoration.
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
