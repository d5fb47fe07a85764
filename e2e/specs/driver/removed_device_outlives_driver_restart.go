// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
)

// removedDeviceOutlivesDriverRestart makes the driver remove a device that a pod uses, and
// kills the driver, which then starts without the device and with the claim.
var removedDeviceOutlivesDriverRestart = suite.Spec{
	ID:           "removed-device-outlives-driver-restart",
	Description:  "A driver that is killed and starts without a device that a pod still uses knows the claim of the pod, and unprepares it when the pod is deleted.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        append([]env.Need{env.NeedsDriverRestart}, publishNeeds...),
	Requirements: []string{"4381-removed-devices-are-unprepared"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		user := device.run(ctx, e, "claim")
		drivers.RemoveDevices(ctx, e, device.Driver, device.node)
		drivers.Restart(ctx, e, device.Driver, device.node)
		device.expectReleased(ctx, e, user, "the start of a driver without its device")
	},
}
