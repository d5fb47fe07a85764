// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
)

// deletedClaimIsNotReserved deletes a claim that a pod uses, and changes its consumers in
// dry runs.
var deletedClaimIsNotReserved = suite.Spec{
	ID:           "deleted-claim-is-not-reserved",
	Description:  "The API server rejects that a claim which is being deleted is reserved for another consumer. It accepts fewer consumers.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-deleted-claims-are-not-reserved"},
	Body: func(ctx context.Context, e *env.Env) {
		allocateCards(ctx, e, "card")
		expectAccepted(ctx, e, itsStatus, "card", "its consumers before it is deleted", reserveForOther)
		claims.DeleteWithoutWaiting(ctx, e, "card")
		expectRejected(ctx, e, itsStatus, "card", "status.reservedFor", "its consumers to one more while it is being deleted", reserveForOther)
		expectAccepted(ctx, e, itsStatus, "card", "its consumers to none while it is being deleted", func(c *resourceapi.ResourceClaim) {
			c.Status.ReservedFor = nil
		})
	},
}
