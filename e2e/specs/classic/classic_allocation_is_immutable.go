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

// classicAllocationIsImmutable changes each part of the allocation of a claim.
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
		more := classic.AllocationOn(c.Driver("a"), c.Nodes[0])
		more.Devices = &classic.AllocatedDevices{Results: []classic.AllocatedDevice{{Request: "device", Driver: c.Driver("a"), Pool: "pool", Device: "device"}}}
		for what, changed := range map[string]classic.Allocation{
			"another allocation":          classic.AllocationOn(c.Driver("a"), c.Nodes[1]),
			"an allocation by another":    classic.AllocationOn(c.Driver("b"), c.Nodes[0]),
			"an allocation with a device": more,
		} {
			expectInvalid(c.TryStatus(ctx, "claim", map[string]any{"allocation": changed}), "field is immutable", what)
		}
		gomega.Expect(c.TryStatus(ctx, "claim", map[string]any{"allocation": nil})).To(gomega.Succeed())
	},
}
