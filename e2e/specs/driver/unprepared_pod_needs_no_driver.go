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

// unpreparedPodNeedsNoDriver removes the driver from a node, and creates and deletes a pod on
// this node. When the driver is back, another pod uses the claim.
var unpreparedPodNeedsNoDriver = suite.Spec{
	ID:           "unprepared-pod-needs-no-driver",
	Description:  "A pod that was not started because its driver is not on its node can be deleted before the driver is back: there is nothing to unprepare.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsDriverStop},
	Requirements: []string{"4381-nothing-to-unprepare"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		absent := drivers.Stop(ctx, e, device.Driver, device.node)
		pod := device.start(ctx, e, "claim")
		pods.ExpectNotStarted(ctx, e, pod, "")
		pods.Delete(ctx, e, pod)
		absent.Start(ctx)
		pods.CreateUsingClaims(ctx, e, "next", pods.Options{Node: device.node}, "claim")
		pods.WaitForRunning(ctx, e, "next")
	},
}
