// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// consumerGoneLetsPodsIn reserves the claim of a pod for as many others as possible, which
// are no pods. A second pod waits until they are removed. Nothing else changes, and the
// claim stays allocated. [claimHas256Consumers] tries the limit with pods, which takes
// longer, and does not run alone. kube-scheduler does not look at the number of consumers,
// and tries again after the API server has rejected one more. Others may wait for the event.
var consumerGoneLetsPodsIn = suite.Spec{
	ID:           "consumer-gone-lets-pods-in",
	Description:  "A pod that waits because its claim has 256 consumers is scheduled when the claim has fewer of them.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Alone:        true,
	Requirements: []string{"4381-scheduling-limit-of-consumers"},
	Body: func(ctx context.Context, e *env.Env) {
		e.BoundWakeUps()
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		createPodFor(ctx, e, sim, "shared", "card")
		pods.WaitForScheduled(ctx, e, "shared")
		release := claims.Fill(ctx, e, "shared")
		pods.CreateUsingClaims(ctx, e, "waiting", pods.Options{}, "shared")
		pods.WaitForPending(ctx, e, "its claim has 256 consumers", "waiting")
		release(ctx)
		pods.WaitForScheduled(ctx, e, "waiting")
	},
}
