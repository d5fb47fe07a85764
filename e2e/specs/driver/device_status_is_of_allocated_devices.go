// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// deviceStatusIsOfAllocatedDevices runs a pod with a device, waits until the
// driver writes the status of the device into the claim, and compares it with
// the allocation.
var deviceStatusIsOfAllocatedDevices = suite.Spec{
	ID:           "device-status-is-of-allocated-devices",
	Description:  "A driver that reports the status of devices in their claims reports only devices that are allocated to the claim, each once, with valid conditions and network data.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     statusFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: statusCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4817-status-of-allocated-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		pod := device.start(ctx, e, "claim")
		pods.WaitForRunning(ctx, e, pod)
		reported := device.waitForStatus(ctx, e, pod, "claim")
		claims.ExpectValidDeviceStatus("claim", claims.GetAllocation(ctx, e, "claim"), reported)
	},
}
