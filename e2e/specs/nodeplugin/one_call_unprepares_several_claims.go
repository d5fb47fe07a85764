// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// oneCallUnpreparesSeveralClaims prepares two claims, and unprepares them in
// one call together with a claim that never existed. No CDI device of the two
// may be left.
var oneCallUnpreparesSeveralClaims = suite.Spec{
	ID:           "one-call-unprepares-several-claims",
	Description:  "A driver unprepares all claims of a call, also next to one that is not prepared, and its response has an entry for each of them and for no others.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Requirements: []string{"4381-unprepare-answers-cover-the-call"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		one, two := device.hold(ctx, e, "one"), device.hold(ctx, e, "two")
		before := nodeagent.GetCDIFiles(ctx, e, device.plugin)
		answers := nodeagent.WaitForPrepared(ctx, e, device.plugin, one, two)
		nodeagent.WaitForUnprepared(ctx, e, device.plugin, one.PluginClaim, nodeagent.UnknownClaim(e), two.PluginClaim)
		nodeagent.WaitForCDIDevicesRemoved(ctx, e, device.plugin, before, answers)
	},
}
