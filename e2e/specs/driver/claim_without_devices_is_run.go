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

// claimWithoutDevicesIsRun runs a pod with a claim without requests, and one that also has a
// claim for a device, and deletes both.
var claimWithoutDevicesIsRun = suite.Spec{
	ID:           "claim-without-devices-is-run",
	Description:  "The kubelet runs a pod whose claim has no requests, so that no devices are allocated. The container sees the devices of the other claims of its pod.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4381-claims-without-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		for _, name := range []string{"empty", "other-empty"} {
			createClaim(ctx, e, name)
		}
		createClaim(ctx, e, "device", devices.Request{Name: "device", Device: device.Device})
		pods.CreateUsingClaims(ctx, e, "alone", pods.Options{Node: device.node}, "empty")
		pods.CreateUsingClaims(ctx, e, "with-device", pods.Options{Node: device.node}, "other-empty", "device")
		pods.WaitForRunning(ctx, e, "alone")
		pods.WaitForRunning(ctx, e, "with-device")
		pods.DeleteWithClaim(ctx, e, "empty", "alone")
		pods.DeleteWithClaim(ctx, e, "device", "with-device")
	},
}
