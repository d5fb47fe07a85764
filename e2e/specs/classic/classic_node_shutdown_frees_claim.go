// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicNodeShutdownFreesClaim lets a pod use a claim that is available on all nodes, shuts
// its node down, and deletes the pod.
var classicNodeShutdownFreesClaim = suite.Spec{
	ID:           "classic-node-shutdown-frees-claim",
	Description:  "Deallocation of a claim is requested when its pod on a node that was shut down is deleted, although nothing ends the pod, so that a pod on another node can use the device.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-node-shutdown"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 2)
		everywhere := classic.Allocation{Controller: c.Driver("a")}
		c.CreateClaim(ctx, "claim", c.Driver("a"), c.Class)
		c.Allocate(ctx, "claim", everywhere)
		pod := c.CreateBoundPod(ctx, "pod", c.Nodes[0], "claim")
		c.WaitForClaim(ctx, "claim", "the claim should be reserved for the bound pod", reservedFor(pod))
		c.Simulated.ShutDown(ctx, c.Nodes[0])
		c.Terminate(ctx, "pod")
		c.WaitForClaim(ctx, "claim", "the node of the deleted pod is out of service", askedToDeallocate)
		c.Deallocate(ctx, "claim")
		next := c.CreateBoundPod(ctx, "next", c.Nodes[1], "claim")
		c.WaitForSelectedNode(ctx, "next", "the claim can be allocated again")
		c.Allocate(ctx, "claim", everywhere)
		c.WaitForClaim(ctx, "claim", "the claim should be reserved for the next pod", reservedFor(next))
	},
}
