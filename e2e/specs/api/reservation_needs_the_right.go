// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
)

// reservationNeedsTheRight changes the consumers and the allocation of a claim as
// an account that may update the status of claims and of devices of all drivers, and as
// accounts with the right to bind claims, in the namespace of the claim or in all.
var reservationNeedsTheRight = suite.Spec{
	ID:           "reservation-needs-the-right",
	Description:  "A user with the rights of a driver cannot reserve claims or deallocate them. This needs the right to update resourceclaims/binding in all namespaces, which does not include that to write the status of devices.",
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
		expectRefused(ctx, driver, "card", "status", reserve, "account driver, which reserves the claim,")
		expectRefused(ctx, driver, "card", "status", func(status *resourceapi.ResourceClaimStatus) {
			*status = resourceapi.ResourceClaimStatus{}
		}, "account driver, which deallocates the claim,")

		binder := actAs(ctx, e, account{Name: "binder-of-namespace", Binds: true}, "card")
		expectRefused(ctx, binder, "card", "status", reserve, "account binder-of-namespace, which reserves the claim,")
		binder = actAs(ctx, e, account{Name: "binder", BindsAll: true}, "card")
		gomega.Eventually(ctx, func(ctx context.Context) error {
			_, err := dryRunUpdate(ctx, binder, itsStatus, "card", reserveForOther)
			return err
		}).WithTimeout(e.Timeouts.Response).Should(gomega.Succeed(), "account binder should be able to reserve the claim, because it has the right to update resourceclaims/binding in all namespaces")
		expectRefused(ctx, binder, "card", "status.devices", report(claims.ReadyStatus(ctx, e, "card", "by a binder")), "account binder, which writes the status of a device,")
	},
}
