// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicEarlierDriverWaitsForPod creates a claim that waits for a pod, and another one to
// see that the driver runs. It plays the scheduler: it asks about two nodes with devices,
// and selects the second one when the driver has answered.
var classicEarlierDriverWaitsForPod = suite.Spec{
	ID:           "classic-earlier-driver-waits-for-pod",
	Description:  "A driver allocates a claim with delayed allocation when a node is selected for a pod that uses it, and not before, so that it is available on this node.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     earlierFeatures,
	Component:    env.Driver,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicControllers},
	Requirements: []string{"3063-waits-for-first-consumer"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.CreateEarlierDriver(ctx, e, 2, 2, nil)
		d.CreateClaim(ctx, "claim", classic.Delayed)
		d.CreateClaim(ctx, "reference", classic.Immediate)
		d.WaitForClaim(ctx, "reference", "the driver runs", d.Allocated)
		d.ExpectClaimStays(ctx, "claim", "no node is selected", classic.Pending)
		d.Ask(ctx, d.CreateUnscheduledPod(ctx, "pod", "claim"), "", d.Nodes...)
		d.WaitForAnswers(ctx, "pod", 1, nil)
		d.ExpectClaimStays(ctx, "claim", "no node is selected", classic.Pending)
		d.SelectNode(ctx, "pod", d.Nodes[1])
		d.WaitForClaim(ctx, "claim", "a node is selected for the pod", d.AllocatedFor(ctx, d.Nodes[1]))
	},
}
