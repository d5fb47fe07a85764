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

// classicClassLimitsNodes creates a class for one of two nodes, and a pod with a
// claim for it.
var classicClassLimitsNodes = suite.Spec{
	ID:           "classic-class-limits-nodes",
	Description:  "Only nodes that the suitableNodes of a class select are potential nodes.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-class-suitable-nodes"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 2, rackOf)
		class := c.CreateClass(ctx, "rack-1", rackOf(1))
		c.CreateClaim(ctx, "claim", c.Driver("a"), class)
		c.CreatePod(ctx, "pod", "claim")
		node := c.WaitForSelectedNode(ctx, "pod", "a node should be selected")
		gomega.Expect(node).To(gomega.Equal(c.Nodes[1]), "the class allows this node only")
		gomega.Expect(c.GetContext(ctx, "pod")).To(gomega.HaveField("Spec.PotentialNodes", gomega.HaveEach(c.Nodes[1])), "the class allows this node only")
	},
}
