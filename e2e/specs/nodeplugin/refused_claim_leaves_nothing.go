// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

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
		findDeviceOnNode(ctx, e).expectRefusedLeavesNothing(ctx, e, func(nodeagent.Answers, bool) {})
	},
}
