// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicClaimHasLimitedUsers reserves a claim for as many pods as possible, and creates one
// more.
var classicClaimHasLimitedUsers = suite.Spec{
	ID:           "classic-claim-has-limited-users",
	Description:  "A pod is not bound while its claim is reserved for as many pods as possible, and is when one of them does not use the claim any more.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-waits-for-reservation"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 1)
		c.CreateClaim(ctx, "claim", c.Driver("a"), c.Class)
		c.Allocate(ctx, "claim", classic.AllocationOn(c.Driver("a"), c.Nodes...))
		var users []*corev1.Pod
		for _, name := range c.Names("user", 32) {
			users = append(users, c.CreateUnscheduledPod(ctx, name, "claim"))
		}
		c.Reserve(ctx, "claim", users...)
		late := c.CreatePod(ctx, "late", "claim")
		c.ExpectNotBound(ctx, "late", "32 other pods use the claim")
		c.Reserve(ctx, "claim", users[1:]...)
		c.WaitForBound(ctx, "late", "31 other pods use the claim")
		c.WaitForClaim(ctx, "claim", "the claim should be reserved for the last pod, too", reservedFor(append(users[1:], late)...))
	},
}
