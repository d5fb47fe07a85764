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
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicAllocator},
	Requirements: []string{"3063-driver-reserves"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.UseDriver(ctx, e, 1)
		d.CreateClaims(ctx, "claim")
		pod := d.CreateUnscheduledPod(ctx, "pod", "claim")
		d.Ask(ctx, pod, d.Nodes[0])
		d.WaitForClaim(ctx, "claim", "a node is selected for the pod", allocated)
		d.ExpectClaimStays(ctx, "claim", "the driver has allocated the claim for the pod", reservedFor(pod))
	},
}
