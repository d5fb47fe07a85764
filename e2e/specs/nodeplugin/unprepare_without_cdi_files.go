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

// unprepareWithoutCDIFiles prepares a claim that no pod uses, removes the CDI files that the driver
// wrote for it and restarts the driver, as a reboot of the node does. Unlike lostCDIFilesAreRestored, it
// does not prepare the claim again: a kubelet does not do so either if the pod was deleted before the
// reboot was over. The driver may have written the files again.
var unprepareWithoutCDIFiles = suite.Spec{
	ID:           "unprepare-without-cdi-files",
	Description:  "A driver that was restarted, and whose CDI files of a claim are gone, as after a reboot, succeeds when it is asked to unprepare the claim. Another claim can be prepared.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: cdiCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Needs:        append([]env.Need{env.NeedsDriverRestart}, agentNeeds...),
	Requirements: []string{"4381-unprepare-needs-no-cdi-files"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		claim := device.hold(ctx, e, "claim")
		before := nodeagent.GetCDIFiles(ctx, e, device.plugin)
		answers := nodeagent.WaitForPrepared(ctx, e, device.plugin, claim)
		device.expectCDIDevices(e, claim, answers)
		removed := nodeagent.RemoveCDIFiles(ctx, e, device.plugin, before, answers)
		if len(removed) == 0 {
			e.NotApplicable("the driver has no CDI files of its own for a claim in the CDI directory that a reboot empties")
		}
		drivers.Restart(ctx, e, device.Driver, device.plugin.Node)
		nodeagent.WaitForUnprepared(ctx, e, device.plugin, claim.PluginClaim)
		nodeagent.DiscardCDIFiles(ctx, e, device.plugin, removed)
		nodeagent.WaitForCDIDevicesRemoved(ctx, e, device.plugin, before, answers)
		nodeagent.ReleaseHeldClaim(ctx, e, claim)
		device.prepareOnce(ctx, e, device.hold(ctx, e, "next"))
	},
}
