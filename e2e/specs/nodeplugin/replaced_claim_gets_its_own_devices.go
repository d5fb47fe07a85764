// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// replacedClaimGetsItsOwnDevices prepares and unprepares a claim, deletes it, and
// lets another claim have its device. A new claim with the name of the deleted one
// is then prepared.
var replacedClaimGetsItsOwnDevices = suite.Spec{
	ID:           "replaced-claim-gets-its-own-devices",
	Description:  "A driver prepares a claim with the devices of its own allocation, and not with those of a deleted claim that had the same name.",
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
		nodeagent.ReleaseHeldClaim(ctx, e, old)
		device.hold(ctx, e, "other")
		device.expectNewDevices(ctx, e, device.hold(ctx, e, "claim"), old)
	},
}
