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

// taintRuleWithoutCriteria creates a DeviceTaintRule with an empty selector, and one
// without a selector, and deletes the first one. When the scheduler has observed that, it
// has observed the second rule too. Before 1.37, kube-scheduler does not tell the two from
// each other.
var taintRuleWithoutCriteria = suite.Spec{
	ID:           "taint-rule-without-criteria",
	Description:  "A DeviceTaintRule with an empty selector taints all devices, and one without a selector taints none.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     ruleFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsOwnCluster},
	Since:        "1.37",
	Requirements: []string{"5055-rule-with-empty-selector", "5055-rule-without-selector"},
	Body: func(ctx context.Context, e *env.Env) {
		e.BoundWakeUps()
		sim := createTwoPools(ctx, e)
		sim.CreateTaintRuleWithoutCriteria(ctx, "all", &resourceapi.DeviceTaintSelector{}, noSchedule)
		closed := waitForClosed(ctx, e, sim, 0, "card", "the selector of a device taint rule is empty")
		sim.CreateTaintRuleWithoutCriteria(ctx, "none", nil, noSchedule)
		sim.DeleteTaintRule(ctx, "all")
		pods.WaitForScheduled(ctx, e, closed)
	},
}
