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

// untouchedPodWaitsForDriver removes the driver from a node, creates a pod on
// this node, waits until the kubelet has failed to start it, and starts the
// driver again. Nothing changes the pod: only the kubelet can make it run.
var untouchedPodWaitsForDriver = suite.Spec{
	ID:           "untouched-pod-waits-for-driver",
	Description:  "A pod that was not started because its driver is not on its node runs when the driver is back, although nothing changes the pod.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsDriverStop},
	Requirements: []string{"4381-driver-waited-for"},
	Body: func(ctx context.Context, e *env.Env) {
		pods.LeaveToKubelet(e)
		device := findDeviceOnNode(ctx, e)
		absent := drivers.Stop(ctx, e, device.Driver, device.node)
		pod := device.start(ctx, e, "late")
		pods.ExpectNotStarted(ctx, e, pod, "")
		absent.Start(ctx)
		pods.WaitForRunning(ctx, e, pod)
	},
}
