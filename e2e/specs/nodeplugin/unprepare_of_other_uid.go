// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// unprepareOfOtherUID unprepares a claim that has the name of the claim of a running pod
// and another UID, as if that one had been created after a claim of the same name was
// deleted. Then it prepares the claim of the pod again.
var unprepareOfOtherUID = suite.Spec{
	ID:           "unprepare-of-other-uid",
	Description:  "A driver that is asked to unprepare a claim that has the name of a prepared claim and another UID succeeds, and the prepared claim stays prepared.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Requirements: []string{"4381-unprepares-what-is-named", "4381-unprepare-is-idempotent"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		running := device.run(ctx, e, "running")
		device.expectStaysPrepared(ctx, e, running, nodeagent.WithOtherUID(running), "a call that unprepares a claim of this name with another UID")
	},
}
