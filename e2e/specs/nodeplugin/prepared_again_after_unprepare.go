// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// preparedAgainAfterUnprepare prepares and unprepares the same claim three
// times, as for a claim that pods use one after the other, and checks the CDI
// devices each time.
var preparedAgainAfterUnprepare = suite.Spec{
	ID:           "prepared-again-after-unprepare",
	Description:  "A claim that was unprepared can be prepared again, with the devices that are allocated to it and CDI files for them.",
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
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		evidence := device.run(ctx, e, "evidence")
		visible := filesAreVisible(ctx, e, device.plugin, evidence)
		claim := device.hold(ctx, e, "claim")
		for range 3 {
			answers := nodeagent.WaitForPrepared(ctx, e, device.plugin, claim)
			nodeagent.ExpectAllocatedDevices(device.plugin, claim, answers)
			gomega.Expect(answers[claim.UID]).To(gomega.HaveLen(len(nodeagent.WaitForPrepared(ctx, e, device.plugin, evidence)[evidence.UID])), "claims for the same number of devices should get as many")
			if visible {
				nodeagent.ExpectCDIDevices(ctx, e, device.plugin, answers)
			}
			nodeagent.WaitForUnprepared(ctx, e, device.plugin, claim.PluginClaim)
		}
	},
}
