// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/components"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// classicSurvivesSchedulerRestart restarts the scheduler while it waits for the
// allocation of one pod, for answers about another one, and for a deallocation for a third
// one, and plays the driver.
var classicSurvivesSchedulerRestart = suite.Spec{
	ID:           "classic-survives-scheduler-restart",
	Description:  "A restarted scheduler continues with pods that wait for drivers.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsScheduler},
	Requirements: []string{"3063-scheduler-continues"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 2, rackOf)
		// With several nodes, kube-scheduler selects another one with each attempt, and may miss
		// an allocation meanwhile.
		c.CreateClaim(ctx, "claim", c.Driver("a"), c.CreateClass(ctx, "rack-0", rackOf(0)))
		waiting := c.CreatePod(ctx, "waiting", "claim")
		c.WaitForSelectedNode(ctx, "waiting", "one claim is pending")
		for _, claim := range []string{"first", "second"} {
			c.CreateClaim(ctx, claim, c.Driver("b"), c.Class)
		}
		c.CreatePod(ctx, "asking", "first", "second")
		c.WaitForContext(ctx, "asking", "the scheduler should ask the driver", func(classic.Context) error { return nil })
		nodes := allocateApart(ctx, c)
		moving := c.CreatePod(ctx, "moving", "claim-a", "claim-b")
		leaving, staying := waitForDeallocation(ctx, e, c, "the claims of the pod are available on different nodes")
		components.RestartScheduler(ctx, e)
		c.ExpectNotBound(ctx, "waiting", "its claim is not allocated")
		c.Allocate(ctx, "claim", classic.AllocationOn(c.Driver("a"), c.Nodes[0]), waiting)
		c.WaitForBound(ctx, "waiting", "its claim is allocated")
		c.Answer(ctx, "asking", classic.Answer{Name: pods.ClaimOf(0)}, classic.Answer{Name: pods.ClaimOf(1)})
		c.WaitForSelectedNode(ctx, "asking", "the driver has answered about all claims")
		c.Deallocate(ctx, leaving)
		node := c.WaitForSelectedNode(ctx, "moving", "one of its claims is pending")
		gomega.Expect(node).To(gomega.Equal(nodes[staying]), "the other claim is available on this node only")
		c.Allocate(ctx, leaving, classic.AllocationOn(c.Driver("a"), node), moving)
		c.WaitForBound(ctx, "moving", "both claims are allocated")
	},
}
