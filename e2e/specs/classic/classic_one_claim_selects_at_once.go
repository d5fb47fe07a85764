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

// classicOneClaimSelectsAtOnce creates a pod with one claim, which is pending, and one with a
// pending and an allocated claim, and answers nothing.
var classicOneClaimSelectsAtOnce = suite.Spec{
	ID:           "classic-one-claim-selects-at-once",
	Description:  "If exactly one claim of a pod is pending, a node is selected without information from its driver.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-selects-at-once"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 2)
		c.CreateClaim(ctx, "claim", c.Driver("a"), c.Class)
		c.CreatePod(ctx, "pod", "claim")
		node := c.WaitForSelectedNode(ctx, "pod", "one pending claim may be allocated at once, because nothing would have to be undone")
		gomega.Expect(c.Nodes).To(gomega.ContainElement(node))
		c.CreateClaim(ctx, "allocated", c.Driver("a"), c.Class)
		c.Allocate(ctx, "allocated", classic.AllocationOn(c.Driver("a"), c.Nodes[1]))
		c.CreateClaim(ctx, "second", c.Driver("b"), c.Class)
		c.CreatePod(ctx, "other", "allocated", "second")
		node = c.WaitForSelectedNode(ctx, "other", "only one of its claims is pending")
		gomega.Expect(node).To(gomega.Equal(c.Nodes[1]), "the allocated claim is available on this node only")
	},
}
