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

// healthOfAbsentDriverIsUnknown waits until the status of a running pod has the health of its
// device, and stops the driver on the node.
var healthOfAbsentDriverIsUnknown = suite.Spec{
	ID:           "health-of-absent-driver-is-unknown",
	Description:  "When a driver leaves a node, the status of a pod that uses its device does not say any more what the driver has reported last: the health of the device is unknown.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     healthFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Capabilities: healthCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Since:        healthSince,
	Needs:        []env.Need{env.NeedsDriverStop},
	Requirements: []string{"4680-health-expires", "4680-unknown-health"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		user := device.start(ctx, e, "user")
		pods.WaitForRunning(ctx, e, user)
		getReportedHealth(ctx, e, device.Driver, user)
		drivers.Stop(ctx, e, device.Driver, device.node)
		pods.WaitForHealthExpired(ctx, e, user, "their driver is not on the node")
	},
}
