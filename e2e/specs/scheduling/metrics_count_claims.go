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

// metricsCountClaims compares the metrics of claims with the claims of the cluster:
// with a claim that nothing uses and one of a pod, when the pod is gone, and when
// both claims are.
var metricsCountClaims = suite.Spec{
	ID:           "metrics-count-claims",
	Description:  "The metric dynamic_resource_allocation_resource_claims of kube-controller-manager is the number of claims of the cluster, by whether they are allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsMetrics},
	Since:        "1.37", // Its name has changed.
	Requirements: []string{"4381-scheduling-metric-of-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		expect := func(because string) {
			for _, allocated := range []bool{true, false} {
				claimsByState(allocated).WaitFor(ctx, e, because, countClaims(e, allocated))
			}
		}
		_, err := claims.Create(ctx, e, "idle", devices.NewDeviceClaim(fixture.RequestFor(sim, "card")))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		createPodFor(ctx, e, sim, "pod", "card")
		pods.WaitForScheduled(ctx, e, "pod")
		expect("a claim was created, and another one allocated")
		pods.Delete(ctx, e, "pod")
		claims.WaitForDeallocated(ctx, e, "pod")
		expect("a claim was deallocated")
		claims.DeleteWithoutWaiting(ctx, e, "idle")
		claims.DeleteWithoutWaiting(ctx, e, "pod")
		expect("two claims were deleted")
	},
}
