// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// unprepareOfUnpreparedClaim prepares a claim, unprepares it ten times, and
// looks for CDI devices that are left.
var unprepareOfUnpreparedClaim = suite.Spec{
	ID:           "unprepare-of-unprepared-claim",
	Description:  "A driver that is asked to unprepare a claim that it has already unprepared succeeds each time.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Requirements: []string{"4381-unprepare-is-idempotent"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		claim := device.hold(ctx, e, "claim")
		before := nodeagent.GetCDIFiles(ctx, e, device.plugin)
		answers := nodeagent.WaitForPrepared(ctx, e, device.plugin, claim)
		for range 10 {
			nodeagent.WaitForUnprepared(ctx, e, device.plugin, claim.PluginClaim)
		}
		nodeagent.WaitForCDIDevicesRemoved(ctx, e, device.plugin, before, answers)
	},
}
