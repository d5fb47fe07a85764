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

// classicAllocationDecidesNode creates pods for a claim that is allocated for the
// last of three nodes.
var classicAllocationDecidesNode = suite.Spec{
	ID:           "classic-allocation-decides-node",
	Description:  "A pod runs where its allocated claim is available.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-allocation-decides"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 3)
		c.CreateClaim(ctx, "claim", c.Driver("a"), c.Class)
		c.Allocate(ctx, "claim", classic.AllocationOn(c.Driver("a"), c.Nodes[2]))
		c.CreatePod(ctx, "pod", "claim")
		gomega.Expect(c.WaitForBound(ctx, "pod", "its claim is allocated")).To(gomega.Equal(c.Nodes[2]), "the claim is available on this node only")
	},
}
