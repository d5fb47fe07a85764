// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"errors"

	"github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicDeletedClaimWaitsForDriver deletes an allocated claim and plays its
// driver.
var classicDeletedClaimWaitsForDriver = suite.Spec{
	ID:           "classic-deleted-claim-waits-for-driver",
	Description:  "A deleted claim exists until its driver has deallocated it and removed its finalizer.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-deletion-finalizer"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 1)
		c.CreateClaim(ctx, "claim", c.Driver("a"), c.Class)
		c.Allocate(ctx, "claim", classic.AllocationOn(c.Driver("a"), c.Nodes...))
		c.DeleteClaim(ctx, "claim")
		c.ExpectClaimStays(ctx, "claim", "its driver has not removed its finalizer", func(claim classic.Claim) error {
			if claim.Metadata.DeletionTimestamp == nil || claim.Status.Allocation == nil {
				return errors.New("the claim is not being deleted, or not allocated any more")
			}
			return nil
		})
		c.Deallocate(ctx, "claim")
		gomega.Eventually(ctx, func(ctx context.Context) bool {
			_, err := c.GetClaim(ctx, "claim")
			return apierrors.IsNotFound(err)
		}).WithTimeout(e.Timeouts.Deletion).Should(gomega.BeTrue(), "the claim should be removed after its finalizer")
	},
}
