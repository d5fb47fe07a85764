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

// classicDeallocationRequestIsValidated writes the status of claims.
var classicDeallocationRequestIsValidated = suite.Spec{
	ID:           "classic-deallocation-request-is-validated",
	Description:  "Deallocation can only be requested of an allocated claim that is not reserved, and the request cannot be withdrawn.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-validates-deallocation"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 1)
		c.CreateClaim(ctx, "claim", c.Driver("a"), c.Class)
		request := map[string]any{"deallocationRequested": true}
		expectInvalid(c.TryStatus(ctx, "claim", request), "`allocation` must be set", "deallocation of a claim that is not allocated")
		user := c.CreatePod(ctx, "user")
		c.Allocate(ctx, "claim", classic.AllocationOn(c.Driver("a"), c.Nodes...), user)
		expectInvalid(c.TryStatus(ctx, "claim", request), "while `reservedFor` is set", "deallocation of a claim that is in use")
		gomega.Expect(c.TryStatus(ctx, "claim", map[string]any{"deallocationRequested": true, "reservedFor": nil})).To(gomega.Succeed())
		expectInvalid(c.TryStatus(ctx, "claim", map[string]any{"deallocationRequested": nil}), "may not be cleared when `allocation` is set", "a request that is withdrawn")
	},
}
