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

// unprepareAfterDriverRestart prepares two claims, deletes one of them, and restarts the driver.
// Unlike preparedClaimsOutliveDriverRestart, it does not prepare the claims again: a kubelet does
// not do so either when a driver was restarted. The deleted claim cannot be read any more.
var unprepareAfterDriverRestart = suite.Spec{
	ID:           "unprepare-after-driver-restart",
	Description:  "A driver that is restarted and asked to unprepare claims leaves no CDI device of them, although it has not been asked to prepare them again, and one of them was deleted meanwhile. Another claim can be prepared.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Needs:        append([]env.Need{env.NeedsDriverRestart}, agentNeeds...),
	Requirements: []string{"4381-driver-found-again", "4381-unprepare-undoes-prepare", "4381-deleted-claims-are-unprepared"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		before := nodeagent.GetCDIFiles(ctx, e, device.plugin)
		kept, deleted := device.hold(ctx, e, "kept"), device.hold(ctx, e, "deleted")
		answers := nodeagent.Answers{}
		for _, claim := range []nodeagent.Claim{kept, deleted} {
			maps.Copy(answers, nodeagent.WaitForPrepared(ctx, e, device.plugin, claim))
		}
		nodeagent.ReleaseHeldClaim(ctx, e, deleted)
		drivers.Restart(ctx, e, device.Driver, device.plugin.Node)
		nodeagent.WaitForUnprepared(ctx, e, device.plugin, kept.PluginClaim, deleted.PluginClaim)
		nodeagent.WaitForCDIDevicesRemoved(ctx, e, device.plugin, before, answers)
		device.prepareOnce(ctx, e, device.hold(ctx, e, "next"))
	},
}
