// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/components"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintRulesOutliveSchedulerRestart restarts the scheduler while a pod waits for one of two
// devices of a pool, which a DeviceTaintRule selects. Afterwards, pods request both devices, and
// the rule is deleted.
var taintRulesOutliveSchedulerRestart = suite.Spec{
	ID:           "taint-rules-outlive-scheduler-restart",
	Description:  "After a restart, the scheduler knows the DeviceTaintRules that were created before, for pods that wait and for new ones, and observes that they are deleted.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     ruleFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsScheduler},
	Requirements: []string{"5055-rules-are-lasting", "5055-rules-come-and-go"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		sim.CreateTaintRule(ctx, "card", selector(sim, sim.Names[0], "card"), noSchedule)
		waiting := waitForClosed(ctx, e, sim, 0, "card", "a device taint rule selects it")

		components.RestartScheduler(ctx, e)
		createPodFor(ctx, e, sim, "disk", "disk")
		pods.WaitForScheduled(ctx, e, "disk")
		createPodFor(ctx, e, sim, "late", "card")
		pods.WaitForAllUnschedulable(ctx, e, "a device taint rule has selected their device since before the restart", waiting, "late")
		sim.DeleteTaintRule(ctx, "card")
		pods.WaitForScheduledCount(ctx, e, 2)
	},
}
