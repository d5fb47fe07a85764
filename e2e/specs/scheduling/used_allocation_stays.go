// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// usedAllocationStays schedules a pod to the first of two nodes, and creates a
// second pod with the same claim that may only run on the second node.
var usedAllocationStays = suite.Spec{
	ID:           "used-allocation-stays",
	Description:  "A claim that a pod uses is not deallocated for a pod that cannot run where its device is.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-used-is-not-moved"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		for _, node := range sim.Names {
			sim.CreatePool(ctx, simulated.Pool{Node: node}, fixture.Devices("card"))
		}
		createPodOn(ctx, e, sim, 0, "used", "card")
		pods.WaitForScheduled(ctx, e, "used")
		pods.CreateUsingClaims(ctx, e, "late", pods.Options{Node: sim.Names[1]}, "used")
		pods.WaitForUnschedulable(ctx, e, "late", "its claim is allocated on another node and used there")
		gomega.Expect(claims.GetNodesOfAllocation(ctx, e, "used", sim.Names)).To(gomega.Equal(sim.Names[:1]), "the claim should stay allocated as it was")
	},
}
