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
)

// usedAllocationStaysForOthers reserves a claim for a pod, and then lets another pod use it
// on the first of two nodes. The first pod may only run on the second node. Another claim is
// reserved for an object of a third party only.
var usedAllocationStaysForOthers = suite.Spec{
	ID:           "used-allocation-stays-for-others",
	Description:  "A claim that a pod uses is not deallocated for a pod that cannot run where its device is, also if it is reserved for this pod, too. The same applies to a claim that is reserved for a consumer that is no pod.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-used-is-not-moved"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createUnused(ctx, e)
		pods.CreateUsingClaims(ctx, e, "pod", pods.Options{Node: sim.Names[1], Change: addGate}, unused)
		gomega.Expect(claims.ReserveForPod(ctx, e, unused, "pod")).To(gomega.Succeed())
		pods.CreateUsingClaims(ctx, e, "user", pods.Options{Node: sim.Names[0]}, unused)
		pods.WaitForScheduled(ctx, e, "user")
		pods.RemoveSchedulingGates(ctx, e, "pod")
		pods.WaitForUnschedulable(ctx, e, "pod", "its claim is allocated on another node, and another pod uses it there")

		_, err := claims.Create(ctx, e, "foreign", devices.NewDeviceClaim(fixture.RequestFor(sim, "probe")))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		e.Cleanups = append(e.Cleanups, func(ctx context.Context) error { return freeIfExists(ctx, e, "foreign") })
		allocateOnFirstNode(ctx, e, sim, "foreign", "probe")
		gomega.Expect(claims.ReserveForOther(ctx, e, "foreign", job)).To(gomega.Succeed())
		pods.CreateUsingClaims(ctx, e, "late", pods.Options{Node: sim.Names[1]}, "foreign")
		pods.WaitForUnschedulable(ctx, e, "late", "its claim is allocated on another node, and job job uses it there")
		for _, claim := range []string{unused, "foreign"} {
			gomega.Expect(claims.GetNodesOfAllocation(ctx, e, claim, sim.Names)).To(gomega.Equal(sim.Names[:1]), "claim %s should stay allocated as it was", claim)
		}
		gomega.Expect(claims.Deallocate(ctx, e, "foreign")).To(gomega.Succeed()) // No controller removes this reservation.
	},
}
