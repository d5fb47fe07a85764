// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// claimRemovedLetsPodsIn deletes an allocated claim that nothing protects, so that it
// disappears without being deallocated. Another pod waits for the device. Nothing else
// changes. kube-scheduler does not observe that before 1.37.
var claimRemovedLetsPodsIn = suite.Spec{
	ID:           "claim-removed-lets-pods-in",
	Description:  "A pod that waits for a device is scheduled when the claim that has the device is removed, although it is still allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Since:        "1.37",
	Alone:        true,
	Requirements: []string{"4381-scheduling-removed-claims-wake-pods"},
	Body: func(ctx context.Context, e *env.Env) {
		e.BoundWakeUps()
		sim := createUnused(ctx, e)
		createPodOn(ctx, e, sim, 0, "waiting", "card")
		pods.WaitForUnschedulable(ctx, e, "waiting", "claim unused has its device")
		claims.DeleteWithoutWaiting(ctx, e, unused)
		pods.WaitForScheduled(ctx, e, "waiting")
	},
}
