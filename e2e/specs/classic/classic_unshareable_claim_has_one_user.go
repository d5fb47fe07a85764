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

// classicUnshareableClaimHasOneUser allocates a claim for one pod at a time, and plays a
// scheduler that reserves it for two pods together and one after the other.
var classicUnshareableClaimHasOneUser = suite.Spec{
	ID:           "classic-unshareable-claim-has-one-user",
	Description:  "The API server rejects a second reservation of a claim whose allocation is not shareable.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     earlierFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-not-shareable"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.CreateEarlier(ctx, e, 1)
		c.CreateClaim(ctx, "claim", classic.Immediate)
		c.AllocateForOne(ctx, "claim", c.Nodes...)
		first, second := c.CreateUnscheduledPod(ctx, "first", "claim"), c.CreateUnscheduledPod(ctx, "second", "claim")
		c.Reserve(ctx, "claim", first)
		expectInvalid(c.TryReserve(ctx, "claim", first, second), "reservedFor", "a second user of a claim that is not shareable")
		gomega.Expect(c.TryReserve(ctx, "claim", second)).To(gomega.Succeed(), "another pod should replace the user of the claim")
	},
}
