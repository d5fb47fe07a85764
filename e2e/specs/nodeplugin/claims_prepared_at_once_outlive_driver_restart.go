// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// claimsPreparedAtOnceOutliveDriverRestart does the same as preparedClaimsOutliveDriverRestart
// with claims that are prepared by calls at the same time. A driver that reads what it has
// stored, and stores it with one claim more, must not lose the claims of other calls. Nor
// must it store claims again that other calls unprepare.
var claimsPreparedAtOnceOutliveDriverRestart = suite.Spec{
	ID:           "claims-prepared-at-once-outlive-driver-restart",
	Description:  "A driver that is restarted knows all claims that it has prepared for calls at the same time: their CDI files stay, and it prepares them again with the same devices. It does not know those that it has unprepared for calls at the same time.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	Devices:      4,
	MinNodes:     1,
	OneNode:      true,
	Needs:        append([]env.Need{env.NeedsDriverRestart}, agentNeeds...),
	Requirements: []string{"4381-driver-found-again", "4381-started-again-with-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		visible := filesAreVisible(ctx, e, device.plugin, device.run(ctx, e, "evidence"))
		before := nodeagent.GetCDIFiles(ctx, e, device.plugin)
		one, two, three := device.hold(ctx, e, "one"), device.hold(ctx, e, "two"), device.hold(ctx, e, "three")
		answers := nodeagent.WaitForPreparedAtOnce(ctx, e, device.plugin, one, two, three)
		device.expectPreparedOutliveRestart(ctx, e, visible, answers, one, two, three)
		if !visible {
			return
		}
		nodeagent.UnprepareAtOnce(ctx, e, device.plugin, two, three)
		drivers.Restart(ctx, e, device.Driver, device.plugin.Node)
		for _, ended := range []nodeagent.Claim{two, three} {
			nodeagent.WaitForCDIDevicesRemoved(ctx, e, device.plugin, before, answers[ended.UID])
		}
	},
}
