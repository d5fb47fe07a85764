// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// deviceStatusIsOfEachDevice runs a pod with a claim for two equal devices, and
// waits until the claim has the status of both. Then it does the same with a pod that has two
// claims for such a device each, which the kubelet names in one call.
var deviceStatusIsOfEachDevice = suite.Spec{
	ID:           "device-status-is-of-each-device",
	Description:  "A driver that reports the status of one of two equal devices of a claim also reports that of the other one, and that of the devices of each claim of a pod.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     statusFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: statusCapabilities,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4817-status-of-each-device"},
	Body: func(ctx context.Context, e *env.Env) {
		device := deviceOnNode{Device: e.Subject.Exclusive.Device}
		pods.CreateWithRequests(ctx, e, "pod", []devices.Request{{Name: "one", Device: device.Device}, {Name: "two", Device: device.Device}})
		pods.WaitForRunning(ctx, e, "pod")
		device.waitForStatus(ctx, e, "pod", "pod")
		claims.WaitForStatusOfEachDevice(ctx, e, "pod", device.Driver)
		pods.DeleteWithClaim(ctx, e, "pod", "pod")
		one := devices.NewDeviceClaim([]devices.Request{{Name: "device", Device: device.Device}})
		pods.CreateWithClaims(ctx, e, "several", one, one)
		pods.WaitForRunning(ctx, e, "several")
		for _, claim := range []string{"several-0", "several-1"} {
			claims.WaitForStatusOfEachDevice(ctx, e, claim, device.Driver)
		}
	},
}
