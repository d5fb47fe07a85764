// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// unprepareOfUnknownClaim unprepares a claim that never existed while a pod
// with a claim runs, and prepares the claim of the pod again.
var unprepareOfUnknownClaim = suite.Spec{
	ID:           "unprepare-of-unknown-claim",
	Description:  "A driver that is asked to unprepare a claim that it has never prepared succeeds, and the claims of running pods stay prepared.",
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
		running := device.run(ctx, e, "running")
		device.expectStaysPrepared(ctx, e, running, nodeagent.UnknownClaim(e), "a call that unprepares an unknown claim")
	},
}
