// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// cdiDevicesHaveFiles prepares two claims and looks for each CDI device of the
// answers in the CDI files of the node, for those of the first claim also when the second
// one is prepared. It does not apply to a driver without CDI
// devices, or whose running pods show that the node has its CDI files in other
// directories.
var cdiDevicesHaveFiles = suite.Spec{
	ID:           "cdi-devices-have-files",
	Description:  "Each CDI device that a driver returns is defined by one valid CDI file on the node, also after further claims were prepared.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: cdiCapabilities,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Requirements: []string{"4381-cdi-devices-have-files"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		running := device.run(ctx, e, "running")
		device.expectVisibleFiles(ctx, e, running)
		earlier := nodeagent.WaitForPrepared(ctx, e, device.plugin, running)
		nodeagent.ExpectCDIDevices(ctx, e, device.plugin, earlier)
		held := device.hold(ctx, e, "held")
		nodeagent.ExpectCDIDevices(ctx, e, device.plugin, nodeagent.WaitForPrepared(ctx, e, device.plugin, held))
		nodeagent.ExpectCDIDevices(ctx, e, device.plugin, earlier)
	},
}
