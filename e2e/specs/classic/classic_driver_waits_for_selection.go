// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicDriverWaitsForSelection plays the scheduler, asks about two nodes for a pod, and
// selects the second one when the driver has answered.
var classicDriverWaitsForSelection = suite.Spec{
	ID:           "classic-driver-waits-for-selection",
	Description:  "A claim is allocated when a node is selected for a pod that uses it, and not before. Its status names the driver, and the nodes on which the devices can be used.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicAllocator},
	Requirements: []string{"3063-delayed-allocation", "3063-controller-in-status", "3063-allocates-for-selected-node"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.UseDriver(ctx, e, 2)
		d.CreateClaims(ctx, "claim")
		d.Ask(ctx, d.CreateUnscheduledPod(ctx, "pod", "claim"), "", d.Nodes...)
		d.WaitForAnswers(ctx, "pod", 1, nil)
		d.ExpectClaimStays(ctx, "claim", "no node is selected", classic.Pending)
		d.SelectNode(ctx, "pod", d.Nodes[1])
		d.WaitForClaim(ctx, "claim", "a node is selected for the pod", d.AvailableOnlyOn(ctx, d.Nodes[1]))
	},
}
