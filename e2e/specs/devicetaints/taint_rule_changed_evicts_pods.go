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

// taintRuleChangedEvictsPods creates a DeviceTaintRule of the effect NoSchedule for
// the pool of a pod, and changes the effect to NoExecute. Another pod tolerates
// it. Then it changes the selector to the pool of a third pod.
var taintRuleChangedEvictsPods = suite.Spec{
	ID:           "taint-rule-changed-evicts-pods",
	Description:  "When the effect of a DeviceTaintRule becomes NoExecute, or its selector changes, the pods with selected devices whose claims do not tolerate it are evicted, and no others.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     ruleFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-rules-change", "5055-rule-evicts"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createTwoPools(ctx, e)
		pods.CreateWithClaimOnNode(ctx, e, "selected", sim.Names[0], claimFor(sim, "card"))
		pods.CreateWithClaimOnNode(ctx, e, "tolerant", sim.Names[0], claimFor(sim, "disk", tolerate(worn, noExecute.Effect)))
		pods.CreateWithClaimOnNode(ctx, e, "other", sim.Names[1], claimFor(sim, "card"))
		pods.WaitForScheduled(ctx, e, "selected", "tolerant", "other")
		sim.CreateTaintRule(ctx, "pool", selector(sim, sim.Names[0], ""), noSchedule)
		pods.ExpectNotEvicted(ctx, e, "the effect of the device taint rule is NoSchedule", "selected", "tolerant")
		sim.ChangeTaintRule(ctx, "pool", func(spec *resourceapi.DeviceTaintRuleSpec) { spec.Taint.Effect = noExecute.Effect })
		pods.WaitForDisrupted(ctx, e, "the effect of the device taint rule is NoExecute now", "selected")
		pods.ExpectNotEvicted(ctx, e, "its claim tolerates the taint of the rule", "tolerant")
		pods.ExpectNotEvicted(ctx, e, "the rule does not select its pool", "other")
		sim.ChangeTaintRule(ctx, "pool", func(spec *resourceapi.DeviceTaintRuleSpec) { *spec.DeviceSelector = selector(sim, sim.Names[1], "") })
		pods.WaitForDisrupted(ctx, e, "the device taint rule selects its pool now", "other")
	},
}
