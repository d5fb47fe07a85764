// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
)

// changedPoolIsComplete makes the driver publish other devices, and its own ones again.
var changedPoolIsComplete = suite.Spec{
	ID:           "changed-pool-is-complete",
	Description:  "When the devices of a driver change, its pools have exactly the new ones: all of their ResourceSlices are of the newest generation, and none of the old devices is left.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        publishNeeds,
	Requirements: []string{"4381-pools-are-complete"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		before := devices.WaitForCompletePools(ctx, e, device.Driver).DevicesOn(device.node)
		restore := drivers.RemoveDevices(ctx, e, device.Driver, device.node)
		changed := devices.WaitForCompletePools(ctx, e, device.Driver).DevicesOn(device.node)
		gomega.Expect(changed).NotTo(gomega.ContainElement(gomega.BeElementOf(before)), "driver %s should publish no device of node %s that was removed", device.Driver, device.node)
		restore(ctx)
		devices.WaitForDevices(ctx, e, device.Driver, before, "the driver has its devices again")
	},
}
