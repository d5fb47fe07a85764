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

// classicImmediateClaimComesFirst creates a pod with a claim that waits for it, and one that is
// allocated immediately, and plays a driver that does so late.
var classicImmediateClaimComesFirst = suite.Spec{
	ID:           "classic-immediate-claim-comes-first",
	Description:  "The scheduler does not ask for a node for a claim that waits for a pod before the other claims of the pod are allocated that do not.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     earlierFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-immediate-first"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.CreateEarlier(ctx, e, 2)
		c.CreateClaim(ctx, "delayed", classic.Delayed)
		c.CreateClaim(ctx, "immediate", classic.Immediate)
		c.CreatePodWith(ctx, "pod", "delayed", "immediate")
		c.ExpectNoContext(ctx, "pod", "a claim that does not depend on the pod is not allocated")
		c.Allocate(ctx, "immediate", c.Nodes[1])
		node := c.WaitForSelectedNode(ctx, "pod", "the other claim is allocated")
		gomega.Expect(node).To(gomega.Equal(c.Nodes[1]), "the other claim is available on this node only")
		c.Allocate(ctx, "delayed", node)
		gomega.Expect(c.WaitForBound(ctx, "pod", "both claims are allocated")).To(gomega.Equal(node))
	},
}
