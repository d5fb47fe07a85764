// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// healthIsOfOfferedDevices reads the first health report of the driver and
// compares its devices with those in the ResourceSlices. A driver that does not
// report health passes.
var healthIsOfOfferedDevices = suite.Spec{
	ID:           "health-is-of-offered-devices",
	Description:  "A driver that reports the health of devices names each device once, with a time in seconds, and reports only devices as healthy that it offers.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		before, err := devices.GetInventory(ctx, e)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		running := device.run(ctx, e, "running")
		nodeagent.ExpectAllocatedDevices(device.plugin, running, nodeagent.WaitForPrepared(ctx, e, device.plugin, running))
		nodeagent.ExpectHealthOfOfferedDevices(ctx, e, device.plugin, before)
	},
}
