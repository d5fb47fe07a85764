// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// taintRulesAddUp creates two DeviceTaintRules with different taints for the same device.
// Claims tolerate one of the taints each. Then one of the rules is deleted.
var taintRulesAddUp = suite.Spec{
	ID:           "taint-rules-add-up",
	Description:  "If several DeviceTaintRules select a device, it has the taints of all of them. When one of the rules is deleted, those of the others stay.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     ruleFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-rule-adds-taints", "5055-rules-come-and-go"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createTwoPools(ctx, e)
		hot := resourceapi.DeviceTaint{Key: "draconform.dev/hot", Effect: noSchedule.Effect}
		sim.CreateTaintRule(ctx, "worn", selector(sim, sim.Names[0], "card"), noSchedule)
		sim.CreateTaintRule(ctx, "hot", selector(sim, sim.Names[0], "card"), hot)
		closed := waitForClosed(ctx, e, sim, 0, "card", "the claim does not tolerate the taint of the second device taint rule", tolerate(worn, ""))
		pods.CreateWithClaimOnNode(ctx, e, "only-hot", sim.Names[0], claimFor(sim, "card", tolerate(hot.Key, "")))
		pods.WaitForUnschedulable(ctx, e, "only-hot", "its claim does not tolerate the taint of the first device taint rule")
		sim.DeleteTaintRule(ctx, "hot")
		pods.WaitForScheduled(ctx, e, closed)
		pods.DeleteWithClaim(ctx, e, closed)
		pods.WaitForUnschedulable(ctx, e, "only-hot", "the first device taint rule still exists")
	},
}
