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

// classicClaimsAreDelayedByDefault creates a claim without an allocation mode.
var classicClaimsAreDelayedByDefault = suite.Spec{
	ID:           "classic-claims-are-delayed-by-default",
	Description:  "The API server makes a claim without an allocation mode one that is allocated for a pod.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     earlierFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-delayed-by-default"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.CreateEarlier(ctx, e, 1)
		c.CreateClaim(ctx, "claim", "")
		claim, err := c.GetClaim(ctx, "claim")
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		gomega.Expect(claim.Spec.AllocationMode).To(gomega.Equal(classic.Delayed), "the default allocation mode")
	},
}
