// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// classicKubeletWaitsForAllocation binds a pod with a pending claim to a node while the
// controller of the driver does not run, and starts it again.
var classicKubeletWaitsForAllocation = suite.Spec{
	ID:           "classic-kubelet-waits-for-allocation",
	Description:  "The kubelet does not start a pod before its claim is allocated and reserved.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Kubelet,
	MinNodes:     1,
	Needs:        []env.Need{env.NeedsClassicDriver},
	Requirements: []string{"3063-kubelet-refuses"},
	Body: func(ctx context.Context, e *env.Env) {
		w := classic.UseWorkers(ctx, e)
		w.ScaleController(ctx, 0)
		w.CreateClaims(ctx, "bound")
		w.CreateBoundPod(ctx, "bound", w.Nodes[0], "bound")
		pods.ExpectNotStarted(ctx, e, "bound", "bound")
		w.ScaleController(ctx, 1)
		w.WaitForRunning(ctx, "the claim is allocated and reserved for the pod", "bound")
	},
}
