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

// classicAllocationIsImmutable changes the allocation of a claim.
var classicAllocationIsImmutable = suite.Spec{
	ID:           "classic-allocation-is-immutable",
	Description:  "The allocation of a claim cannot be changed, only removed.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-allocation-immutable"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 2)
		c.CreateClaim(ctx, "claim", c.Driver("a"), c.Class)
		c.Allocate(ctx, "claim", classic.AllocationOn(c.Driver("a"), c.Nodes[0]))
		err := c.TryStatus(ctx, "claim", map[string]any{"allocation": classic.AllocationOn(c.Driver("a"), c.Nodes[1])})
		expectInvalid(err, "field is immutable", "another allocation")
		gomega.Expect(c.TryStatus(ctx, "claim", map[string]any{"allocation": nil})).To(gomega.Succeed())
	},
}
