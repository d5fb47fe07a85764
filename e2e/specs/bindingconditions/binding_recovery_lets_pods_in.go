// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// bindingRecoveryLetsPodsIn lets a device fail that a pod uses, so that another pod with the
// same claim waits. Then the device becomes ready again, and nothing else changes.
var bindingRecoveryLetsPodsIn = suite.Spec{
	ID:           "binding-recovery-lets-pods-in",
	Description:  "A pod that waits because the device of its claim has failed, which another pod uses, is scheduled when the device is ready again.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     bindingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Alone:        true,
	Requirements: []string{"5007-recovery-wakes-pods"},
	Body: func(ctx context.Context, e *env.Env) {
		e.BoundWakeUps()
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fabric("card"))
		pods.CreateWithRequests(ctx, e, "first", fixture.RequestFor(sim, "card"))
		claims.WaitForAllocation(ctx, e, "first", "its device is free")
		reportReady(ctx, e, "first")
		pods.WaitForScheduled(ctx, e, "first")
		report(ctx, e, "first", map[string]conditions{"card": {attached: metav1.ConditionTrue, configured: metav1.ConditionTrue, failed: metav1.ConditionTrue}})
		pods.CreateUsingClaims(ctx, e, "second", pods.Options{}, "first")
		pods.WaitForPending(ctx, e, "the device of its claim has failed", "second")
		reportReady(ctx, e, "first")
		pods.WaitForScheduled(ctx, e, "second")
	},
}
