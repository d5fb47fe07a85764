// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// preparedClaimsOutliveDriverRestart prepares three claims, restarts the driver,
// and unprepares one of them. The CDI files of all of them are compared before the
// driver is called again, because a container that is restarted needs them.
var preparedClaimsOutliveDriverRestart = suite.Spec{
	ID:           "prepared-claims-outlive-driver-restart",
	Description:  "A driver that is restarted knows all claims that it has prepared: their CDI files stay, it prepares them again with the same devices, and it unprepares one of them without an effect on the others.",
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
		device.expectOutliveRestart(ctx, e, visible, device.hold(ctx, e, "goes"), device.hold(ctx, e, "one"), device.hold(ctx, e, "two"))
	},
}
