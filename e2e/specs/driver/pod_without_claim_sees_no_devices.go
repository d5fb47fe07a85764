// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// podWithoutClaimSeesNoDevices runs a pod that uses a device, and on the same
// node a pod without a claim, and expects that the container of the second one
// reports no device of the driver.
var podWithoutClaimSeesNoDevices = suite.Spec{
	ID:           "pod-without-claim-sees-no-devices",
	Description:  "A pod without a claim sees no device of the driver, also on a node where another pod uses one.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Sees:         subject.Present,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4381-other-pods-get-nothing"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		pods.WaitForRunning(ctx, e, device.start(ctx, e, "user"))
		pods.CreateUsingClaims(ctx, e, "without-claim", pods.Options{Node: device.node})
		pods.WaitForRunning(ctx, e, "without-claim")
		pods.ExpectContainerDevices(ctx, e, "without-claim", pods.MainContainer, nil)
	},
}
