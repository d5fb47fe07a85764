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

// newClaimsGoWithAllocatedOnes allocates a device of the first of two nodes. Pods
// use this claim and another one for a device that only the second node has at
// first. The other claim is the second of one pod, and the first of the other.
var newClaimsGoWithAllocatedOnes = suite.Spec{
	ID:           "new-claims-go-with-allocated-ones",
	Description:  "A pod with a claim that is allocated on a node and one that is not is scheduled to this node, if the other claim can be allocated there, and to no other node.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-all-claims-of-a-pod"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		first, second := sim.Names[0], sim.Names[1]
		sim.CreatePool(ctx, simulated.Pool{Node: first}, fixture.Devices("card"))
		sim.CreatePool(ctx, simulated.Pool{Node: second}, fixture.Devices("disk-0", "disk-1"))
		pods.CreateWithClaimOnNode(ctx, e, "allocated", first, devices.NewDeviceClaim(fixture.RequestFor(sim, "card")))
		pods.WaitForScheduled(ctx, e, "allocated")
		for _, claim := range []string{"after", "before"} {
			_, err := claims.Create(ctx, e, claim, devices.NewDeviceClaim(fixture.One(fixture.SubRequestFor(sim, "disk").Device)))
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
		}
		pods.CreateUsingClaims(ctx, e, "after", pods.Options{}, "allocated", "after")
		pods.CreateUsingClaims(ctx, e, "before", pods.Options{}, "before", "allocated")
		pods.WaitForAllUnschedulable(ctx, e, "the devices for their new claims are not on the node of the allocated one", "after", "before")
		sim.CreatePool(ctx, simulated.Pool{Name: first + "-more", Node: first}, fixture.Devices("disk-2", "disk-3"))
		pods.WaitForScheduled(ctx, e, "after", "before")
		for _, pod := range []string{"after", "before"} {
			pods.ExpectOnNode(ctx, e, pod, first, "its allocated claim has a device of this node")
		}
	},
}
