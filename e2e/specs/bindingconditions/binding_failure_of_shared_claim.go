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

// bindingFailureOfSharedClaim lets the device of a claim fail for which two pods wait, so that
// neither of them is the only one for which the claim is reserved. It is the only device, and
// becomes ready after it has been allocated again.
var bindingFailureOfSharedClaim = suite.Spec{
	ID:           "binding-failure-of-shared-claim",
	Description:  "When the device of a claim fails for which several pods wait, the claim is deallocated and allocated again, and all of these pods are bound when the device is ready then.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     bindingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5007-failure-clears-allocation", "5007-pod-is-rescheduled"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fabric("card"))
		pods.CreateWithRequests(ctx, e, "first", fixture.RequestFor(sim, "card"))
		claims.WaitForAllocation(ctx, e, "first", "its device is free")
		pods.CreateUsingClaims(ctx, e, "second", pods.Options{}, "first")
		claims.WaitForConsumers(ctx, e, "first", "both pods wait for its device", 2)
		report(ctx, e, "first", map[string]conditions{"card": {failed: metav1.ConditionTrue}})
		for _, pod := range []string{"first", "second"} {
			waitForReallocated(ctx, e, pod, "first")
		}
		reportReady(ctx, e, "first")
		pods.WaitForScheduled(ctx, e, "first", "second")
		claims.WaitForConsumers(ctx, e, "first", "both pods use it", 2)
	},
}
