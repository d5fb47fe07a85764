// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// reservationNeedsTheRight changes the consumers and the allocation of a claim as
// an account that may update the status of claims and of devices of all drivers.
var reservationNeedsTheRight = suite.Spec{
	ID:           "reservation-needs-the-right",
	Description:  "A user with the rights of a driver cannot reserve claims or deallocate them. This needs the right to update resourceclaims/binding.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     authorizationFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsOwnNamespace},
	Since:        "1.36",
	Requirements: []string{"4817-reservation-needs-permission"},
	Body: func(ctx context.Context, e *env.Env) {
		allocateCards(ctx, e, "card")
		driver := actAs(ctx, e, account{Name: "driver", Verbs: []string{"arbitrary-node:update", "associated-node:update"}}, "card")
		expectRefused(ctx, driver, "card", "status", func(status *resourceapi.ResourceClaimStatus) {
			status.ReservedFor = append(status.ReservedFor, resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: "other", UID: "other"})
		}, "account driver, which reserves the claim,")
		expectRefused(ctx, driver, "card", "status", func(status *resourceapi.ResourceClaimStatus) {
			*status = resourceapi.ResourceClaimStatus{}
		}, "account driver, which deallocates the claim,")
	},
}
