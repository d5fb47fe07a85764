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

// taintRuleChangedCountsAnew changes a DeviceTaintRule in place: its effect from
// NoSchedule to None and to NoExecute, and the device that it selects.
var taintRuleChangedCountsAnew = suite.Spec{
	ID:           "taint-rule-changed-counts-anew",
	Description:  "When a DeviceTaintRule is changed, its new effect and its new selection apply: pods that wait because of it are scheduled, or the next ones wait.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     ruleFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-rules-change"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createTwoPools(ctx, e)
		sim.CreateTaintRule(ctx, "rule", selector(sim, sim.Names[0], "card"), noSchedule)
		card := waitForClosed(ctx, e, sim, 0, "card", "a device taint rule selects it")
		setEffect := func(effect resourceapi.DeviceTaintEffect) {
			sim.ChangeTaintRule(ctx, "rule", func(spec *resourceapi.DeviceTaintRuleSpec) { spec.Taint.Effect = effect })
		}
		setEffect(resourceapi.DeviceTaintEffectNone)
		pods.WaitForScheduled(ctx, e, card)
		pods.DeleteWithClaim(ctx, e, card)
		setEffect(resourceapi.DeviceTaintEffectNoExecute)
		card = waitForClosed(ctx, e, sim, 0, "card", "the effect of the device taint rule is NoExecute now")
		sim.ChangeTaintRule(ctx, "rule", func(spec *resourceapi.DeviceTaintRuleSpec) {
			*spec.DeviceSelector = selector(sim, sim.Names[0], "disk")
		})
		pods.WaitForScheduled(ctx, e, card)
		waitForClosed(ctx, e, sim, 0, "disk", "the device taint rule selects it now")
	},
}
