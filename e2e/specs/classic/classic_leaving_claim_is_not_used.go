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

// classicLeavingClaimIsNotUsed requests the deallocation of a claim before a pod
// for it is created, and deletes another one, which stays.
var classicLeavingClaimIsNotUsed = suite.Spec{
	ID:           "classic-leaving-claim-is-not-used",
	Description:  "A pod does not use a claim that is to be deallocated. It waits until the claim is allocated again. No driver is asked to allocate a deleted claim.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-leaving-not-used"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 1)
		c.CreateClaim(ctx, "claim", c.Driver("a"), c.Class)
		c.Allocate(ctx, "claim", classic.AllocationOn(c.Driver("a"), c.Nodes...))
		gomega.Expect(c.TryStatus(ctx, "claim", map[string]any{"deallocationRequested": true})).To(gomega.Succeed())
		c.CreateClaim(ctx, "other", c.Driver("a"), c.Class)
		c.Allocate(ctx, "other", classic.AllocationOn(c.Driver("a"), c.Nodes...))
		pod := c.CreatePod(ctx, "pod", "other", "claim")
		c.ExpectNotBound(ctx, "pod", "one of its claims is to be deallocated")
		c.Deallocate(ctx, "claim")
		node := c.WaitForSelectedNode(ctx, "pod", "the claim can be allocated again")
		c.Allocate(ctx, "claim", classic.AllocationOn(c.Driver("a"), node), pod)
		c.WaitForBound(ctx, "pod", "both claims are allocated again")
		c.CreateClaim(ctx, "deleted", c.Driver("a"), c.Class)
		c.Keep(ctx, "deleted")
		c.DeleteClaim(ctx, "deleted")
		c.CreatePod(ctx, "late", "deleted")
		c.ExpectNoContext(ctx, "late", "its claim is deleted")
	},
}
