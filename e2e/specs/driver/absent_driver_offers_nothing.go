// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// absentDriverOffersNothing removes the driver from a node with a running pod
// until the kubelet has deleted its slices. Meanwhile, the container of another pod ends
// and is restarted. When the scheduler has observed that there are no slices, and a pod
// waits for the devices, the driver is started again.
var absentDriverOffersNothing = suite.Spec{
	ID:           "absent-driver-offers-nothing",
	Description:  "When a driver leaves a node, pods keep running, and containers that end are restarted. Its ResourceSlices are deleted after a while, and its devices are not allocated. When it is back, its devices are available again.",
	Profile:      profile,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Devices:      3,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsDriverStop},
	Requirements: []string{"4381-slices-of-absent-drivers-removed", "4381-containers-outlive-driver", "4381-slices-of-returning-drivers", "4381-started-again-with-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		before := device.start(ctx, e, "before")
		pods.WaitForRunning(ctx, e, before)
		container := pods.GetContainer(ctx, e, before)
		restarting := device.startRestarting(ctx, e)
		absent := drivers.Stop(ctx, e, device.Driver, device.node)
		restarts := pods.GetRestartCount(ctx, e, restarting)
		// The kubelet removes the ResourceSlices half a minute after the driver
		// is gone.
		devices.WaitForSlicesDeleted(ctx, e, device.Driver, device.node)
		pods.WaitForRestarts(ctx, e, restarting, restarts+1)
		because := "the driver is not on the node, and no slice offers its devices"
		late := expect.PendingOnceSeen(ctx, e, "late", because, func(pod string) { device.startAs(ctx, e, pod) })
		pods.WaitForUnschedulable(ctx, e, late, because)
		absent.Start(ctx)
		pods.WaitForRunning(ctx, e, late)
		pods.ExpectNotRestarted(ctx, e, container, "the driver's absence")
		drivers.WaitForPrepared(ctx, e, device.Driver, device.node, "before")
	},
}
