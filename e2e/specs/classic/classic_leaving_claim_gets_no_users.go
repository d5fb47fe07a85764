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

// classicLeavingClaimGetsNoUsers requests the deallocation of a claim, deletes
// two others, of which one is reserved, and adds pods to them.
var classicLeavingClaimGetsNoUsers = suite.Spec{
	ID:           "classic-leaving-claim-gets-no-users",
	Description:  "No pod can be added to the reservations of a claim that is deleted or to be deallocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-no-new-users"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 1)
		user := c.CreatePod(ctx, "user")
		for _, claim := range []string{"leaving", "deleted"} {
			c.CreateClaim(ctx, claim, c.Driver("a"), c.Class)
			c.Allocate(ctx, claim, classic.AllocationOn(c.Driver("a"), c.Nodes...))
		}
		gomega.Expect(c.TryStatus(ctx, "leaving", map[string]any{"deallocationRequested": true})).To(gomega.Succeed())
		c.DeleteClaim(ctx, "deleted")
		for _, claim := range []string{"leaving", "deleted"} {
			err := c.TryStatus(ctx, claim, map[string]any{"reservedFor": classic.Consumers(user)})
			expectInvalid(err, "new entries may not be added", "a new user of claim "+claim)
		}
		former := c.CreateUnscheduledPod(ctx, "former")
		c.CreateClaim(ctx, "used", c.Driver("a"), c.Class)
		c.Allocate(ctx, "used", classic.AllocationOn(c.Driver("a"), c.Nodes...), former)
		c.DeleteClaim(ctx, "used")
		expectInvalid(c.TryReserve(ctx, "used", user), "new entries may not be added", "another user of a deleted claim")
		gomega.Expect(c.TryReserve(ctx, "used")).To(gomega.Succeed(), "the last user of a deleted claim should be removed")
	},
}
