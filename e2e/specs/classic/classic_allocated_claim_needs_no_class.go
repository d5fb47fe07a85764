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

// classicAllocatedClaimNeedsNoClass allocates a claim for another node than that of its
// class, and deletes the class before a second pod uses the claim.
var classicAllocatedClaimNeedsNoClass = suite.Spec{
	ID:           "classic-allocated-claim-needs-no-class",
	Description:  "A pod uses an allocated claim where it is available, whatever the class of the claim has become.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-class-of-allocated"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 2, rackOf)
		class := c.CreateClass(ctx, "rack-1", rackOf(1))
		c.CreateClaim(ctx, "claim", c.Driver("a"), class)
		c.Allocate(ctx, "claim", classic.AllocationOn(c.Driver("a"), c.Nodes[0]))
		c.CreatePod(ctx, "first", "claim")
		gomega.Expect(c.WaitForBound(ctx, "first", "its claim is allocated for a node that the class excludes now")).To(gomega.Equal(c.Nodes[0]))
		c.DeleteClass(ctx, class)
		c.CreatePod(ctx, "second", "claim")
		gomega.Expect(c.WaitForBound(ctx, "second", "its claim is allocated, although the class does not exist any more")).To(gomega.Equal(c.Nodes[0]))
	},
}
