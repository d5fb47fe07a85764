// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintEvictsAllPodsOfClaim schedules three pods that share a claim, taints its
// device, and then removes the evicted pods as a kubelet would.
var taintEvictsAllPodsOfClaim = suite.Spec{
	ID:           "taint-evicts-all-pods-of-claim",
	Description:  "All pods that share a claim are evicted when its device gets a taint of the effect NoExecute. When they have ended, the claim is deallocated, and it is not allocated the device again.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-all-pods-of-a-claim", "5055-deallocated-after-eviction"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		claim, err := claims.Create(ctx, e, "card", claimFor(sim, "card"))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		names := []string{"first", "second", "third"}
		for _, name := range names {
			pods.CreateUsingClaims(ctx, e, name, pods.Options{}, claim.Name)
		}
		pods.WaitForScheduled(ctx, e, names...)

		sim.SetTaints(ctx, sim.Names[0], map[string][]resourceapi.DeviceTaint{"card": {noExecute}})
		pods.WaitForDisrupted(ctx, e, "the device of their claim has a taint of the effect NoExecute", names...)
		for _, name := range names {
			pods.DeleteByForce(ctx, e, name)
		}
		claims.WaitForDeallocated(ctx, e, claim.Name)
		// Of the taint, only the controller has shown that it knows.
		waitForClosed(ctx, e, sim, 0, "card", "the device has the taint")
		pods.CreateUsingClaims(ctx, e, "next", pods.Options{}, claim.Name)
		pods.WaitForUnschedulable(ctx, e, "next", "the only device for its claim still has the taint")
	},
}
