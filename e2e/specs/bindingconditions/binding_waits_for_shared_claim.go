// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// bindingWaitsForSharedClaim creates a second pod for a claim that is allocated
// and not ready, while the first pod waits for it.
var bindingWaitsForSharedClaim = suite.Spec{
	ID:           "binding-waits-for-shared-claim",
	Description:  "All pods that use a claim wait until its device is ready, also those that are created when it is allocated already.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     bindingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5007-waits-for-shared-claim"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fabric("card"))
		pods.CreateWithRequests(ctx, e, "first", fixture.RequestFor(sim, "card"))
		claims.WaitForAllocation(ctx, e, "first", "its device is free")
		pods.CreateUsingClaims(ctx, e, "second", pods.Options{}, "first")
		because := "the device of the claim is not ready"
		expectWaiting(ctx, e, map[string]string{"first": because, "second": because})
		reportReady(ctx, e, "first")
		pods.WaitForScheduled(ctx, e, "first", "second")
	},
}
