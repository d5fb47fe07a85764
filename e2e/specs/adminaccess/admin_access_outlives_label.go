// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package adminaccess

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// adminAccessOutlivesLabel creates two pods that use a claim with admin access, and removes
// the label from their namespace. It writes the status of the device as its driver does, and
// deletes the pods one after the other.
var adminAccessOutlivesLabel = suite.Spec{
	ID:           "admin-access-outlives-label",
	Description:  "The API server accepts further updates of the status of a claim with admin access after its namespace has lost the label resource.kubernetes.io/admin-access, so that the claim is released when its pods are deleted.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     adminFeatures,
	Component:    env.Cluster,
	Needs:        adminNeeds,
	Requirements: []string{"5018-granted-once"},
	Body: func(ctx context.Context, e *env.Env) {
		namespaces.AllowAdminAccess(ctx, e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		createMonitors(ctx, e, sim, "card", "monitor")
		pods.WaitForScheduled(ctx, e, "monitor")
		pods.CreateUsingClaims(ctx, e, "other", pods.Options{Node: sim.Names[0]}, "monitor")
		pods.WaitForScheduled(ctx, e, "other")
		claims.WaitForConsumers(ctx, e, "monitor", "two pods use it", 2)

		removeLabel(ctx, e)
		err := claims.UpdateDeviceStatus(ctx, e, "monitor", claims.ReadyStatus(ctx, e, "monitor", "ready"))
		gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the API server should accept a status of claim monitor, because its allocation with admin access was accepted before")
		pods.Delete(ctx, e, "other")
		claims.WaitForConsumers(ctx, e, "monitor", "one of its pods is deleted", 1)
		pods.Delete(ctx, e, "monitor")
		claims.WaitForDeallocated(ctx, e, "monitor")
	},
}

// removeLabel removes the label of the namespace, and waits until the API server rejects new
// claims with admin access.
func removeLabel(ctx context.Context, e *env.Env) {
	ginkgo.GinkgoHelper()
	namespaces.RemoveAdminLabel(ctx, e)
	gomega.Eventually(ctx, func(ctx context.Context) error { return claims.DryRunCreate(ctx, e, withAdminAccess(anyDevice)) }).
		WithTimeout(e.Timeouts.Response).Should(beRejected, "a claim with admin access should be rejected, because the label was removed")
}
