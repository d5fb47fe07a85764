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

// healthThatIsNotRenewedExpires makes the driver remove a device that a pod uses. The driver goes on
// reporting the health of its other devices to the kubelet, and no longer that of this device.
var healthThatIsNotRenewedExpires = suite.Spec{
	ID:           "health-that-is-not-renewed-expires",
	Description:  "When a driver does not report the health of a device any more, and goes on reporting that of others, the status of a pod that uses the device does not say any more what the driver has reported last: the health of the device is unknown.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     healthFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Capabilities: healthCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Since:        healthSince,
	Needs:        []env.Need{env.NeedsDriverHealth, env.NeedsDriverPublish},
	Requirements: []string{"4680-health-expires", "4680-unknown-health"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		user, _ := device.startHealthy(ctx, e, "user")
		drivers.RemoveDevices(ctx, e, device.Driver, device.node)
		pods.WaitForHealthExpired(ctx, e, user, "their driver does not report it any more")
	},
}
