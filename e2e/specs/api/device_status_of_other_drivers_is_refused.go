// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
)

// deviceStatusOfOtherDriversIsRefused writes, changes and removes the status of a
// device as the account of its driver and as that of another driver.
var deviceStatusOfOtherDriversIsRefused = suite.Spec{
	ID:           "device-status-of-other-drivers-is-refused",
	Description:  "A user with the right to write the status of devices of one driver cannot add, change or remove that of devices of another driver.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     authorizationFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsOwnNamespace},
	Since:        "1.36",
	Requirements: []string{"4817-writers-own-entries"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := allocateCards(ctx, e, "card")
		update := []string{"arbitrary-node:update"}
		own := actAs(ctx, e, account{Name: "own-driver", Verbs: update, Drivers: []string{sim.Driver}}, "card")
		other := actAs(ctx, e, account{Name: "other-driver", Verbs: update, Drivers: []string{sim.OtherDriver()}}, "card")

		first, second := claims.ReadyStatus(ctx, e, "card", "first"), claims.ReadyStatus(ctx, e, "card", "second")
		expectRefused(ctx, other, "card", "status.devices", report(first), "account other-driver, which adds a status,")
		gomega.Expect(changeStatus(ctx, own, "card", report(first))).To(gomega.Succeed(), "the account of the driver should be able to add a status")
		expectRefused(ctx, other, "card", "status.devices", report(second), "account other-driver, which changes a status,")
		expectRefused(ctx, other, "card", "status.devices", report(), "account other-driver, which removes a status,")
		gomega.Expect(changeStatus(ctx, own, "card", report(second))).To(gomega.Succeed(), "the account of the driver should be able to change a status")
		gomega.Expect(changeStatus(ctx, own, "card", report())).To(gomega.Succeed(), "the account of the driver should be able to remove a status")
	},
}
