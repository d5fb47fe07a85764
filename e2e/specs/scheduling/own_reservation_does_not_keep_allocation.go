// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// ownReservationDoesNotKeepAllocation writes an allocation on the first of two nodes into a
// claim, and reserves it for the pod that needs it, as a scheduler that ends before it binds
// the pod. The pod may only run on the second node.
var ownReservationDoesNotKeepAllocation = suite.Spec{
	ID:           "own-reservation-does-not-keep-allocation",
	Description:  "A claim that is reserved only for a pod that cannot run where its device is, is deallocated, and allocated where the pod can run.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-unused-is-moved"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := createUnused(ctx, e)
		pods.CreateUsingClaims(ctx, e, "pod", pods.Options{Node: sim.Names[1], Change: addGate}, unused)
		gomega.Expect(claims.ReserveForPod(ctx, e, unused, "pod")).To(gomega.Succeed())
		pods.RemoveSchedulingGates(ctx, e, "pod")
		expectMoved(ctx, e, sim)
	},
}
