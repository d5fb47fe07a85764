// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicClassChangeLetsPodsIn creates a class for labels that no node has, a pod
// with a claim for it, and changes the class.
var classicClassChangeLetsPodsIn = suite.Spec{
	ID:           "classic-class-change-lets-pods-in",
	Description:  "A pod that no node suits, because of a class, is scheduled after the class has changed.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-retries-class-change"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 1, rackOf)
		class := c.CreateClass(ctx, "none", rackOf(7))
		c.CreateClaim(ctx, "claim", c.Driver("a"), class)
		pod := c.CreatePod(ctx, "pod", "claim")
		c.ExpectNotBound(ctx, "pod", "no node suits the class")
		c.SetSuitableNodes(ctx, class, rackOf(0))
		node := c.WaitForSelectedNode(ctx, "pod", "the node suits the changed class")
		c.Allocate(ctx, "claim", classic.AllocationOn(c.Driver("a"), node), pod)
		c.WaitForBound(ctx, "pod", "its claim is allocated")
	},
}
