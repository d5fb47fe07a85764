// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// usedDevicesOutliveRestart restarts a driver while a pod uses one of its devices. A driver
// that looks for its devices when it starts must also find those in use.
var usedDevicesOutliveRestart = suite.Spec{
	ID:           "used-devices-outlive-restart",
	Description:  "A driver that is restarted while a pod uses a device publishes this device as before: with its name, its capacity and the counters that it consumes.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsDriverRestart},
	Requirements: []string{"4381-slices-do-not-depend-on-use", "4381-device-names-stay"},
	Body: func(ctx context.Context, e *env.Env) {
		expectUsedOutliveRestart(ctx, e, e.Subject.Exclusive.Device)
	},
}

// expectUsedOutliveRestart runs a pod with a device, restarts its driver, runs another pod on
// the node, and asserts that what the driver publishes about the device of the first one is the
// same. Slices of the driver's previous process prove nothing. The next one has probably
// published its own when it prepares a claim.
func expectUsedOutliveRestart(ctx context.Context, e *env.Env, of subject.Device) {
	device := deviceOnNode{of, devices.WaitForNodeWithDevices(ctx, e, of.Driver)}
	before := devices.WaitForCompletePools(ctx, e, of.Driver)
	first := device.start(ctx, e, "first")
	used := pods.WaitForRunning(ctx, e, first)
	drivers.Restart(ctx, e, of.Driver, device.node)
	second := device.start(ctx, e, "second")
	pods.WaitForRunning(ctx, e, second)
	devices.WaitForSameDevices(ctx, e, of.Driver, before, used)
	pods.DeleteWithClaim(ctx, e, "first", first)
	pods.DeleteWithClaim(ctx, e, "second", second)
	devices.WaitForSameDevices(ctx, e, of.Driver, before, used)
}
