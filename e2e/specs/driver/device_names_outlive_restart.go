// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// deviceNamesOutliveRestart compares the devices of all pools of the driver
// before a restart of the driver on a node, and when a pod has run after it.
var deviceNamesOutliveRestart = suite.Spec{
	ID:           "device-names-outlive-restart",
	Description:  "A driver that is restarted publishes devices with the same names in the same pools as before.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsDriverRestart},
	Requirements: []string{"4381-device-names-stay"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		before := devices.WaitForCompletePools(ctx, e, device.Driver)
		drivers.Restart(ctx, e, device.Driver, device.node)
		// Slices of the driver's previous process prove nothing. The next one has
		// probably published its own when it prepares a claim. While a device is used, a
		// driver may withdraw others that cannot be used together with it.
		after := device.start(ctx, e, "after")
		pods.WaitForRunning(ctx, e, after)
		pods.DeleteWithClaim(ctx, e, "after", after)
		devices.WaitForDevices(ctx, e, device.Driver, before.DevicesOn(device.node), "allocations name devices, so that their names must not change")
	},
}
