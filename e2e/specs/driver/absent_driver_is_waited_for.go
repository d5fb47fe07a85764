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

// absentDriverIsWaitedFor removes the driver from a node, creates a pod on
// this node, and starts the driver again. It changes the pod to make the kubelet
// try again soon, because it is about the time without the driver, and not about
// when the kubelet tries again.
var absentDriverIsWaitedFor = suite.Spec{
	ID:           "absent-driver-is-waited-for",
	Description:  "A pod whose driver is not on its node is not started, and an event reports it. When the driver is back and the pod changes, the pod runs.",
	Profile:      profile,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsDriverStop},
	Requirements: []string{"4381-not-started-without-driver"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		absent := drivers.Stop(ctx, e, device.Driver, device.node)
		pod := device.start(ctx, e, "late")
		pods.ExpectNotStarted(ctx, e, pod, "")
		absent.Start(ctx)
		pods.WaitForRunning(ctx, e, pod)
	},
}
