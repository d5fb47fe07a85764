// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicDriverReservesClaim plays the scheduler and selects a node for a pod.
var classicDriverReservesClaim = suite.Spec{
	ID:           "classic-driver-reserves-claim",
	Description:  "A driver reserves a claim for the pod that it is allocated for, together with the allocation.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	MinNodes:     1,
	Needs:        []env.Need{env.NeedsClassicDriver},
	Requirements: []string{"3063-driver-reserves"},
	Body: func(ctx context.Context, e *env.Env) {
		w := classic.UseWorkers(ctx, e)
		w.CreateClaims(ctx, "claim")
		pod := w.CreateUnscheduledPod(ctx, "pod", "claim")
		w.Ask(ctx, pod, w.Nodes[0])
		w.WaitForClaim(ctx, "claim", "a node is selected for the pod", allocated)
		w.ExpectClaimStays(ctx, "claim", "the driver has allocated the claim for the pod", reservedFor(pod))
	},
}
