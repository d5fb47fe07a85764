// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
)

// deviceStatusPatchNeedsTheRight patches the status of a device, in both ways in which
// drivers do, as accounts that may all patch the status of claims, and have the right to
// update the status of devices, or to patch it.
var deviceStatusPatchNeedsTheRight = suite.Spec{
	ID:           "device-status-patch-needs-the-right",
	Description:  "A user who may patch the status of claims can patch the status of devices, also by server-side apply, only with the right to use the verb arbitrary-node:patch on resourceclaims/driver. This right does not allow other updates.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     authorizationFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsOwnNamespace},
	Since:        "1.36",
	Requirements: []string{"4817-writers-need-permission"},
	Body: func(ctx context.Context, e *env.Env) {
		allocateCards(ctx, e, "card")
		mayUpdate := actAs(ctx, e, account{Name: "may-update", Patches: true, Verbs: []string{"arbitrary-node:update"}}, "card")
		mayPatch := actAs(ctx, e, account{Name: "may-patch", Patches: true, Verbs: []string{"arbitrary-node:patch"}}, "card")
		for _, kind := range []types.PatchType{types.MergePatchType, types.ApplyPatchType} {
			written := claims.ReadyStatus(ctx, e, "card", string(kind))
			gomega.Expect(patchStatus(ctx, mayUpdate, kind, "card")).To(gomega.Succeed(), "account may-update should be able to patch the status of claims, if that does not change the status of devices")
			expectRefusal(patchStatus(ctx, mayUpdate, kind, "card", written), "card", "status.devices", "account may-update, which sends a patch of the type "+string(kind)+",")
			gomega.Expect(patchStatus(ctx, mayPatch, kind, "card", written)).To(gomega.Succeed(), "account may-patch should be able to patch the status of the device")
			stored := claims.GetDeviceStatus(ctx, e, "card")
			gomega.Expect(stored).To(gomega.HaveLen(1), "the claim should have the status of its device")
			gomega.Expect(stored[0].Conditions).To(gomega.ConsistOf(gomega.HaveField("Message", string(kind))), "the patch should be stored")
		}
		expectRefused(ctx, mayPatch, "card", "status.devices", report(claims.ReadyStatus(ctx, e, "card", "updated")), "account may-patch, which updates the status,")
	},
}
