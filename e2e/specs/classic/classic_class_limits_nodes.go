// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicClassLimitsNodes creates a class for one of three nodes, and two for two of them, and
// pods with claims for them.
var classicClassLimitsNodes = suite.Spec{
	ID:           "classic-class-limits-nodes",
	Description:  "Only nodes that the suitableNodes of all classes of a claim select, and those of all pending claims of a pod, are potential nodes.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-class-suitable-nodes"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 3, rackOf, sidesOf)
		inRack := c.CreateClass(ctx, "rack-1", rackOf(1))
		c.CreateClaim(ctx, "claim", c.Driver("a"), inRack)
		onLeft, onRight := c.CreateClass(ctx, "left", map[string]string{left: "yes"}), c.CreateClass(ctx, "right", map[string]string{right: "yes"})
		c.CreateClaim(ctx, "of-two-classes", c.Driver("a"), onLeft, onRight)
		for _, claim := range []string{"claim", "of-two-classes"} {
			c.CreatePod(ctx, claim, claim)
			node := c.WaitForSelectedNode(ctx, claim, "a node should be selected")
			gomega.Expect(node).To(gomega.Equal(c.Nodes[1]), "the classes of claim %s allow this node only", claim)
			gomega.Expect(c.GetContext(ctx, claim)).To(gomega.HaveField("Spec.PotentialNodes", gomega.HaveEach(c.Nodes[1])), "the classes of claim %s allow this node only", claim)
		}
		c.CreateClaim(ctx, "anywhere", c.Driver("b"), c.Class)
		c.CreateClaim(ctx, "second", c.Driver("a"), inRack)
		c.CreatePod(ctx, "both", "anywhere", "second")
		found := c.WaitForContext(ctx, "both", "the scheduler should ask both drivers", func(classic.Context) error { return nil })
		gomega.Expect(found.Spec.PotentialNodes).To(gomega.ConsistOf(c.Nodes[1]), "the class of the second claim allows this node only")
	},
}
