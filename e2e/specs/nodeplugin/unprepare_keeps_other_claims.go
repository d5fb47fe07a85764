// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// unprepareKeepsOtherClaims prepares two claims in one call, unprepares one of
// them, and compares the CDI files and the answer for the other claim with
// those before.
var unprepareKeepsOtherClaims = suite.Spec{
	ID:           "unprepare-keeps-other-claims",
	Description:  "When one of two prepared claims is unprepared, the devices of the other one stay available to containers.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	Devices:      3,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Requirements: []string{"4381-unprepares-what-is-named"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		visible := filesAreVisible(ctx, e, device.plugin, device.run(ctx, e, "evidence"))
		goes, stays := device.hold(ctx, e, "goes"), device.hold(ctx, e, "stays")
		nodeagent.WaitForPrepared(ctx, e, device.plugin, goes, stays)
		want := nodeagent.WaitForPrepared(ctx, e, device.plugin, stays)
		nodeagent.WaitForUnprepared(ctx, e, device.plugin, goes.PluginClaim)
		if visible {
			nodeagent.ExpectCDIDevices(ctx, e, device.plugin, want)
		}
		nodeagent.ExpectSameAnswers(device.plugin, nodeagent.WaitForPrepared(ctx, e, device.plugin, stays), want, "the end of the other claim")
	},
}
