// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// deletedDuringRestartIsUnprepared deletes a running pod, and restarts the
// driver before the pod is removed. The kubelet may then find no driver to call.
// The pod must be removed, its claim unprepared, and a next pod on the node must
// get a device.
var deletedDuringRestartIsUnprepared = suite.Spec{
	ID:           "deleted-during-restart-is-unprepared",
	Description:  "A pod that is deleted while the driver restarts is removed and its claim unprepared, and the next pod of the node runs.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsDriverRestart},
	Requirements: []string{"4381-driver-found-again", "4381-unprepared-after-last-pod"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		pod := device.start(ctx, e, "deleted")
		pods.WaitForRunning(ctx, e, pod)
		pods.DeleteWithoutWaiting(ctx, e, pod)
		drivers.RestartDuringChange(ctx, e, device.Driver, device.node)
		pods.WaitForDeleted(ctx, e, pod)
		drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, "deleted")
		pods.WaitForRunning(ctx, e, device.start(ctx, e, "next"))
	},
}
