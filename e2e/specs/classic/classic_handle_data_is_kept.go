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

// classicHandleDataIsKept changes the data of an allocation, and deletes the class of its
// claim.
var classicHandleDataIsKept = suite.Spec{
	ID:           "classic-handle-data-is-kept",
	Description:  "The data for the kubelet plugin of a driver in an allocation cannot be changed, and remain when the class of the claim is deleted.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     earlierFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-handle-data-stays"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.CreateEarlier(ctx, e, 1)
		c.CreateClaim(ctx, "claim", classic.Immediate)
		gomega.Expect(c.TryAllocate(ctx, "claim", "for the plugin", c.Nodes...)).To(gomega.Succeed())
		expectInvalid(c.TryChangeData(ctx, "claim", "of somebody else"), "field is immutable", "a change of the data")
		c.DeleteClass(ctx, c.Class)
		claim, err := c.GetClaim(ctx, "claim")
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		gomega.Expect(claim.Status.Allocation.ResourceHandles).To(gomega.HaveLen(1))
		gomega.Expect(claim.Status.Allocation.ResourceHandles[0].Data).To(gomega.Equal("for the plugin"))
	},
}
