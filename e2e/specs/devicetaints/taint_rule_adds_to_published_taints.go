// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintRuleAddsToPublishedTaints creates a DeviceTaintRule for a device that has
// another taint in its ResourceSlice. Claims tolerate one of the taints, or both.
var taintRuleAddsToPublishedTaints = suite.Spec{
	ID:           "taint-rule-adds-to-published-taints",
	Description:  "A device is allocated only to claims that tolerate both its taints in the ResourceSlice and those of DeviceTaintRules.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     ruleFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-rule-adds-taints"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		hot := resourceapi.DeviceTaint{Key: "draconform.dev/hot", Effect: noSchedule.Effect}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, withTaint(hot, "card"))
		sim.CreateTaintRule(ctx, "card", selector(sim, sim.Names[0], "card"), noSchedule)
		waitForClosed(ctx, e, sim, 0, "card", "the claim does not tolerate the taint of the device taint rule", tolerate(hot.Key, ""))
		createPodFor(ctx, e, sim, "only-the-rule", "card", tolerate(worn, ""))
		pods.WaitForUnschedulable(ctx, e, "only-the-rule", "its claim does not tolerate the taint in the ResourceSlice")
		createPodFor(ctx, e, sim, "both", "card", tolerate(worn, ""), tolerate(hot.Key, ""))
		pods.WaitForScheduled(ctx, e, "both")
	},
}
