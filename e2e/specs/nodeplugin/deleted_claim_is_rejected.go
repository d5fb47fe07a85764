// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// deletedClaimIsRejected prepares and unprepares a claim, deletes it, and then
// prepares it in the same call as another claim.
var deletedClaimIsRejected = suite.Spec{
	ID:           "deleted-claim-is-rejected",
	Description:  "A driver does not prepare a claim that has been deleted, and still prepares others.",
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
	Requirements: []string{"4381-deleted-claims-are-not-prepared"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		good, deleted := device.hold(ctx, e, "good"), device.hold(ctx, e, "deleted")
		nodeagent.WaitForPrepared(ctx, e, device.plugin, deleted)
		nodeagent.WaitForUnprepared(ctx, e, device.plugin, deleted.PluginClaim)
		nodeagent.ReleaseHeldClaim(ctx, e, deleted)
		nodeagent.WaitForRejected(ctx, e, device.plugin, deleted.PluginClaim, good, "it has been deleted")
	},
}
