// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// refusedClaimIsUndoneAfterRestart is refusedClaimLeavesNothing with a restart of the driver after it
// has refused the claim. A driver that stores only the claims that it has prepared completely does not
// know the claim any more, and may have prepared the first of its devices.
var refusedClaimIsUndoneAfterRestart = suite.Spec{
	ID:           "refused-claim-is-undone-after-restart",
	Description:  "When a driver unprepares a claim that it had refused to prepare before it was restarted, because of the parameters for one of the claim's devices, no CDI file of the claim is left. Another claim stays prepared, and a further one can be prepared.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	Devices:      3,
	MinNodes:     1,
	OneNode:      true,
	Needs:        append([]env.Need{env.NeedsDriverRestart}, agentNeeds...),
	Requirements: []string{"4381-failed-prepare-holds-nothing", "4381-failed-prepare-is-found-again"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		device.expectRefusedLeavesNothing(ctx, e, func(other nodeagent.Answers, visible bool) {
			drivers.Restart(ctx, e, device.Driver, device.plugin.Node)
			if visible {
				nodeagent.WaitForCDIDevices(ctx, e, device.plugin, other, "the claim is prepared, and containers may be restarted")
			}
		})
	},
}
