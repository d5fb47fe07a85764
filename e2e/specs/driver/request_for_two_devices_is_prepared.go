// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// requestForTwoDevicesIsPrepared creates a claim whose only request is for two
// devices and a pod that uses it, and waits until the pod runs with both of
// them.
var requestForTwoDevicesIsPrepared = suite.Spec{
	ID:          "request-for-two-devices-is-prepared",
	Description: "A pod whose claim requests two devices with one request runs with both of them.",
	Profile:     profile,
	Level:       suite.Provisional,
	Smoke:       true,
	Features:    exclusiveFeatures,
	Component:   env.Driver,
	Kinds:       exclusiveKinds,
	Devices:     2,
	MinNodes:    1,
	OneNode:     true,
	Body: func(ctx context.Context, e *env.Env) {
		pods.CreateWithRequests(ctx, e, "pod", []devices.Request{{Name: "both", Device: e.Subject.Exclusive.Device, Count: 2}})
		pods.WaitForRunning(ctx, e, "pod")
	},
}
