// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicDriverWaitsForSelection plays the scheduler, asks about a node for a pod, and
// selects it when the driver has answered.
var classicDriverWaitsForSelection = suite.Spec{
	ID:           "classic-driver-waits-for-selection",
	Description:  "A claim is allocated when a node is selected for a pod that uses it, and not before. Its status names the driver.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	MinNodes:     1,
	Needs:        []env.Need{env.NeedsClassicDriver},
	Requirements: []string{"3063-delayed-allocation", "3063-controller-in-status", "3063-allocates-for-selected-node"},
	Body: func(ctx context.Context, e *env.Env) {
		w := classic.UseWorkers(ctx, e)
		w.CreateClaims(ctx, "claim")
		w.Ask(ctx, w.CreateUnscheduledPod(ctx, "pod", "claim"), "", w.Nodes[0])
		w.WaitForAnswers(ctx, "pod", 1, nil)
		w.ExpectClaimStays(ctx, "claim", "no node is selected", pending)
		w.SelectNode(ctx, "pod", w.Nodes[0])
		w.WaitForClaim(ctx, "claim", "a node is selected for the pod", w.AllocatedOn(w.Nodes[0]))
	},
}
