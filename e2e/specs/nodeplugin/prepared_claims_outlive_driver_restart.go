// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"
	"maps"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// preparedClaimsOutliveDriverRestart prepares two claims, restarts the driver twice, prepares a
// third one, restarts the driver again, and unprepares one of them. A driver must not only
// read what it has stored, but also keep it, and store further claims. The CDI files of all
// of them are compared before the driver is called again, because a container that is
// restarted needs them.
var preparedClaimsOutliveDriverRestart = suite.Spec{
	ID:           "prepared-claims-outlive-driver-restart",
	Description:  "A driver that is restarted several times knows all claims that it has prepared, before and in between: their CDI files stay, it prepares them again with the same devices, and it unprepares one of them without an effect on the others.",
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
		goes, one, two := device.hold(ctx, e, "goes"), device.hold(ctx, e, "one"), device.hold(ctx, e, "two")
		answers := nodeagent.WaitForEachPrepared(ctx, e, device.plugin, goes, one)
		for range 2 {
			drivers.Restart(ctx, e, device.Driver, device.plugin.Node)
		}
		maps.Copy(answers, nodeagent.WaitForEachPrepared(ctx, e, device.plugin, two))
		device.expectPreparedOutliveRestart(ctx, e, visible, answers, goes, one, two)
	},
}
