// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// reallocatedClaimGetsItsNewDevices prepares and unprepares a claim, deallocates
// it, and lets another claim have its device. The claim is then allocated again
// and prepared.
var reallocatedClaimGetsItsNewDevices = suite.Spec{
	ID:           "reallocated-claim-gets-its-new-devices",
	Description:  "A driver prepares a claim that was deallocated and allocated again with its new devices, and not with those that it had before.",
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
	Requirements: []string{"4381-answers-name-allocated-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		old := device.hold(ctx, e, "claim")
		device.prepareOnce(ctx, e, old)
		nodeagent.DeallocateHeldClaim(ctx, e, old)
		device.hold(ctx, e, "other")
		device.expectNewDevices(ctx, e, nodeagent.AllocateHeldClaim(ctx, e, device.plugin, old), old)
	},
}
