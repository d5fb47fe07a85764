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

// classicSharedClaimStaysPrepared creates two pods that share a claim on a node, deletes the
// first one, and waits until the container of the second one is restarted.
var classicSharedClaimStaysPrepared = suite.Spec{
	ID:           "classic-shared-claim-stays-prepared",
	Description:  "When one of two pods on a node that share a claim is gone, restarted containers of the other one see the device still.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Kubelet,
	MinNodes:     1,
	Needs:        []env.Need{env.NeedsClassicDriver},
	Requirements: []string{"3063-unprepares-last"},
	Body: func(ctx context.Context, e *env.Env) {
		w := classic.UseWorkers(ctx, e)
		w.CreateClaims(ctx, "claim")
		w.CreatePodOn(ctx, "first", w.Nodes[0], "claim")
		w.CreateRestartingPodOn(ctx, "second", w.Nodes[0], "claim")
		w.WaitForDevices(ctx, "first", "there is a device for the claim", "claim")
		pods.WaitForRestarts(ctx, e, "second", 1)
		w.DeletePods(ctx, false, "first")
		pods.WaitForRestarts(ctx, e, "second", pods.GetRestartCount(ctx, e, "second")+1)
		w.WaitForDevices(ctx, "second", "it uses the claim still", "claim")
	},
}
