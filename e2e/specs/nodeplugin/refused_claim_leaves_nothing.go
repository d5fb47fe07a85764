// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// refusedClaimLeavesNothing prepares a claim, and then one for two devices, of which the second one
// has parameters that the driver cannot know. The driver may have prepared the first of the two.
// It unprepares the claim, and prepares another one. It does not apply to a driver that prepares
// the claim: a driver may ignore parameters.
var refusedClaimLeavesNothing = suite.Spec{
	ID:           "refused-claim-leaves-nothing",
	Description:  "When a driver unprepares a claim that it has refused to prepare because of the parameters for one of its devices, no CDI file of the claim is left. Another claim stays prepared, and a further one can be prepared.",
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
	Requirements: []string{"4381-failed-prepare-holds-nothing"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		other := device.hold(ctx, e, "other")
		want := nodeagent.WaitForPrepared(ctx, e, device.plugin, other)
		before := nodeagent.GetCDIFiles(ctx, e, device.plugin)
		refused := device.holdRequests(ctx, e, "refused", fixture.RefusedRequests(device.Device)...)
		if !nodeagent.IsRefused(ctx, e, device.plugin, refused) {
			e.NotApplicable("needs a driver that refuses parameters that it does not know, and this one prepared the claim")
		}
		nodeagent.WaitForUnprepared(ctx, e, device.plugin, refused.PluginClaim)
		nodeagent.WaitForCDIDevicesRemoved(ctx, e, device.plugin, before, nodeagent.Answers{refused.UID: nil})
		if before.Define(want.CDIDevices()) {
			nodeagent.ExpectCDIDevices(ctx, e, device.plugin, want)
		}
		nodeagent.ExpectSameAnswers(device.plugin, nodeagent.WaitForPrepared(ctx, e, device.plugin, other), want, "a claim that the driver refused to prepare")
		nodeagent.ReleaseHeldClaim(ctx, e, refused)
		device.prepareOnce(ctx, e, device.hold(ctx, e, "next"))
	},
}
