// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// oneCallPreparesSeveralClaims prepares three claims in one call, as for a pod
// with three claims, and compares the answers with those of a call for each
// claim.
var oneCallPreparesSeveralClaims = suite.Spec{
	ID:           "one-call-prepares-several-claims",
	Description:  "A driver prepares all claims of a call, and its response has an entry for each of them and for no others. It returns CDI devices of its own for each of several claims for equal devices, or for none.",
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
	Requirements: []string{"4381-answers-cover-the-call"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		all := []nodeagent.Claim{device.hold(ctx, e, "one"), device.hold(ctx, e, "two"), device.hold(ctx, e, "three")}
		together := nodeagent.WaitForPrepared(ctx, e, device.plugin, all...)
		for _, claim := range all {
			nodeagent.ExpectAllocatedDevices(device.plugin, claim, together)
		}
		nodeagent.ExpectEachClaim(device.plugin, together, all...)
		for _, claim := range all {
			alone := nodeagent.WaitForPrepared(ctx, e, device.plugin, claim)
			nodeagent.ExpectSameAnswers(device.plugin, alone, nodeagent.Answers{claim.UID: together[claim.UID]}, "a call for claim "+claim.Name+" alone")
		}
	},
}
