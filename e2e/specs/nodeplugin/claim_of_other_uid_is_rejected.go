// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// claimOfOtherUIDIsRejected prepares a claim that has the name of an allocated
// claim and another UID, as if the claim had been deleted and created again, in
// the same call as another claim.
var claimOfOtherUIDIsRejected = suite.Spec{
	ID:           "claim-of-other-uid-is-rejected",
	Description:  "A driver does not prepare a claim that exists with another UID only, and still prepares others.",
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
	Requirements: []string{"4381-claims-of-other-uids-are-not-prepared"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		good, replaced := device.hold(ctx, e, "good"), device.hold(ctx, e, "replaced")
		nodeagent.WaitForRejected(ctx, e, device.plugin, nodeagent.WithOtherUID(replaced), good, "the claim of this name has UID "+replaced.UID)
	},
}
