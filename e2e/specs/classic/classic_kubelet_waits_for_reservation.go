// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// classicKubeletWaitsForReservation plays the scheduler, which reserves a claim for 32 pods, binds another
// pod with the claim to a node, and ends one of the reservations later.
var classicKubeletWaitsForReservation = suite.Spec{
	ID:           "classic-kubelet-waits-for-reservation",
	Description:  "The kubelet does not start a pod whose claim is allocated for its node, but reserved for as many other pods as possible. It starts when one of them is gone.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Kubelet,
	MinNodes:     1,
	Needs:        []env.Need{env.NeedsClassicDriver},
	Requirements: []string{"3063-kubelet-refuses"},
	Body: func(ctx context.Context, e *env.Env) {
		w := classic.UseWorkers(ctx, e)
		w.CreateClaims(ctx, "claim")
		var users []*corev1.Pod
		for _, name := range w.Names("user", 32) {
			users = append(users, w.CreateUnscheduledPod(ctx, name, "claim"))
		}
		w.Ask(ctx, users[0], w.Nodes[0])
		w.WaitForClaim(ctx, "claim", "a node is selected for one of the pods", w.AllocatedOn(w.Nodes[0]))
		w.Reserve(ctx, "claim", users...)
		w.CreateBoundPod(ctx, "late", w.Nodes[0], "claim")
		pods.ExpectNotStarted(ctx, e, "late", "claim")
		w.Reserve(ctx, "claim", users[1:]...)
		w.WaitForDevices(ctx, "late", "the claim is reserved for it, too", "claim")
	},
}
