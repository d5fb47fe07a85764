// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// unprepareOfDeletedClaim prepares a claim, deletes it, and unprepares it, as the kubelet does
// for a pod that was deleted by force. Then it prepares another claim, which may have the same
// device. The kubelet does not keep claims either: a driver must store what it needs.
var unprepareOfDeletedClaim = suite.Spec{
	ID:           "unprepare-of-deleted-claim",
	Description:  "A driver unprepares a claim that was deleted after it had prepared it. No CDI device of the claim is left, and another claim can be prepared.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Requirements: []string{"4381-deleted-claims-are-unprepared", "4381-unprepare-undoes-prepare"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		before := nodeagent.GetCDIFiles(ctx, e, device.plugin)
		deleted := device.hold(ctx, e, "deleted")
		answers := nodeagent.WaitForPrepared(ctx, e, device.plugin, deleted)
		nodeagent.ReleaseHeldClaim(ctx, e, deleted)
		nodeagent.WaitForUnprepared(ctx, e, device.plugin, deleted.PluginClaim)
		nodeagent.WaitForCDIDevicesRemoved(ctx, e, device.plugin, before, answers)
		device.prepareOnce(ctx, e, device.hold(ctx, e, "next"))
	},
}
