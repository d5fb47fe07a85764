// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"
	"slices"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// lostCDIFilesAreRestored prepares a claim that no pod uses, removes the CDI
// files that the driver wrote for it and restarts the driver, as a reboot of the
// node does, and prepares the claim again. Files that may belong to other claims
// are not removed. Without the restart, a driver that keeps prepared claims in
// memory would have no reason to write the files again. Nor has one that recognises
// a reboot by the ID of the boot, which the spec cannot change: the driver file says
// whether the driver is another one.
var lostCDIFilesAreRestored = suite.Spec{
	ID:           "lost-cdi-files-are-restored",
	Description:  "A driver that is asked to prepare a claim again after a restart, and finds that its CDI files are gone, as after a reboot, writes them again.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: append(slices.Clip(cdiCapabilities), subject.CDIRestoration),
	MinNodes:     1,
	OneNode:      true,
	Needs:        append([]env.Need{env.NeedsDriverRestart}, agentNeeds...),
	Requirements: []string{"4381-cdi-files-outlive-reboot"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		claim := device.hold(ctx, e, "claim")
		before := nodeagent.GetCDIFiles(ctx, e, device.plugin)
		want := nodeagent.WaitForPrepared(ctx, e, device.plugin, claim)
		device.expectCDIDevices(e, claim, want)
		if len(nodeagent.RemoveCDIFiles(ctx, e, device.plugin, before, want)) == 0 {
			e.NotApplicable("the driver has no CDI files of its own for a claim in the CDI directory that a reboot empties")
		}
		drivers.Restart(ctx, e, device.Driver, device.plugin.Node)
		again := nodeagent.WaitForPrepared(ctx, e, device.plugin, claim)
		nodeagent.ExpectSameAnswers(device.plugin, again, want, "a restart of the driver and the loss of the CDI files")
		missing := nodeagent.MissingCDIDevices(ctx, e, device.plugin, again)
		env.ExpectCapability(e, device.Driver, subject.CDIRestoration, missing)
		nodeagent.ExpectCDIDevices(ctx, e, device.plugin, again)
	},
}
