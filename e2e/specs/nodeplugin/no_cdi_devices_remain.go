// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// noCDIDevicesRemain runs and deletes pods with a claim each, three times, and
// compares the CDI files of the node with those before. Files that the first
// pod left are ignored: a driver may have files that do not depend on claims.
var noCDIDevicesRemain = suite.Spec{
	ID:           "no-cdi-devices-remain",
	Description:  "When pods and their claims are gone, no CDI devices of the claims are left on the node.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: cdiCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Requirements: []string{"4381-unprepare-undoes-prepare"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		device.expectVisibleFiles(ctx, e, device.run(ctx, e, "first"))
		pods.DeleteWithClaim(ctx, e, "first", "first-0")
		before := nodeagent.GetCDIFiles(ctx, e, device.plugin)
		for _, name := range []string{"one", "two", "three"} {
			claim := device.run(ctx, e, name)
			answers := nodeagent.WaitForPrepared(ctx, e, device.plugin, claim)
			pods.DeleteWithClaim(ctx, e, name, name+"-0")
			nodeagent.WaitForCDIDevicesRemoved(ctx, e, device.plugin, before, answers)
		}
	},
}
