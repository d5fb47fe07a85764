// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// boundPodReservesClaim creates a pod that states its node and uses an allocated
// claim, and then deletes the pod for which the claim was allocated. Another pod
// waits for the device. A second pod that states its node uses a claim that is allocated
// later, for another pod.
var boundPodReservesClaim = suite.Spec{
	ID:           "bound-pod-reserves-claim",
	Description:  "Allocated claims are reserved for a pod that was bound to a node without a scheduler, also if they are allocated later. A claim stays allocated until this pod is gone.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-bound-pods-reserve"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk", "tape"))
		createPodFor(ctx, e, sim, "first", "card")
		createPodFor(ctx, e, sim, "second", "disk")
		pods.WaitForScheduled(ctx, e, "first", "second")
		pods.CreateBoundToNode(ctx, e, sim.Names[0], "bound", "first", "second")
		for _, claim := range []string{"first", "second"} {
			claims.WaitForConsumers(ctx, e, claim, "it is allocated, and two pods on a node use it", 2)
		}
		_, err := claims.Create(ctx, e, "later", devices.NewDeviceClaim(fixture.RequestFor(sim, "tape")))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		pods.CreateBoundToNode(ctx, e, sim.Names[0], "early", "later")
		pods.CreateUsingClaims(ctx, e, "user", pods.Options{}, "later")
		pods.WaitForScheduled(ctx, e, "user")
		claims.WaitForConsumers(ctx, e, "later", "it was allocated for one of the two pods that use it, after the other one was bound", 2)
		pods.Delete(ctx, e, "first")
		claims.WaitForConsumers(ctx, e, "first", "one of its pods is deleted", 1)

		createPodFor(ctx, e, sim, "next", "card")
		pods.WaitForUnschedulable(ctx, e, "next", "a pod that was bound without a scheduler uses the device")
		pods.Delete(ctx, e, "bound")
		pods.WaitForScheduled(ctx, e, "next")
	},
}
