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

// deviceStatusNeedsTheRight writes the status of a device as accounts that may all
// update the status of claims, and have no right to do so for devices, another one,
// or the right one.
var deviceStatusNeedsTheRight = suite.Spec{
	ID:           "device-status-needs-the-right",
	Description:  "A user who may update the status of claims can write the status of devices only with the right to use the verb arbitrary-node:update on resourceclaims/driver.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     authorizationFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsOwnNamespace},
	Since:        "1.36",
	Requirements: []string{"4817-writers-need-permission"},
	Body: func(ctx context.Context, e *env.Env) {
		allocateCards(ctx, e, "card")
		for name, verbs := range map[string][]string{
			"without-right": nil, "may-patch": {"arbitrary-node:patch"}, "may-update-without-prefix": {"update"},
		} {
			acting := actAs(ctx, e, account{Name: name, Verbs: verbs}, "card")
			expectRefused(ctx, acting, "card", "status.devices", report(claims.ReadyStatus(ctx, e, "card", name)), "account "+name)
		}
		acting := actAs(ctx, e, account{Name: "may-update", Verbs: []string{"arbitrary-node:update"}}, "card")
		gomega.Expect(changeStatus(ctx, acting, "card", report(claims.ReadyStatus(ctx, e, "card", "by the right account")))).To(gomega.Succeed(), "account may-update should be able to write the status of the device")
	},
}
