// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package adminaccess

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
)

// adminAccessCountsForQuota creates a quota for three devices of a DeviceClass, and
// claims with admin access to two and to further devices.
var adminAccessCountsForQuota = suite.Spec{
	ID:           "admin-access-counts-for-quota",
	Description:  "Requests for admin access need quota for their devices like others.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     adminFeatures,
	Component:    env.Cluster,
	Needs:        adminNeeds,
	Requirements: []string{"5018-quota"},
	Body: func(ctx context.Context, e *env.Env) {
		namespaces.AllowAdminAccess(ctx, e)
		// These claims are not allocated, so the DeviceClass need not exist.
		fixture.CreateQuotaOfClasses(ctx, e, map[string]int64{"any": 3})
		claim := withAdminAccess(anyDevice)
		claim.Requests[0].Exactly.Count = 2
		_, err := claims.Create(ctx, e, "within", claim)
		gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the quota is of three devices, and the claim is for two")
		fixture.ExpectQuotaUsed(ctx, e, "devices that are requested for admin access", map[corev1.ResourceName]int64{fixture.DevicesOfClass("any"): 2})
		fixture.ExpectQuotaExceeded(ctx, e, claim, "one device is left of the quota, and the claim is for admin access to two")
	},
}
