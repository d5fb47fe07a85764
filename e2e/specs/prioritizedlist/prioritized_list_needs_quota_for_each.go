// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
)

// prioritizedListNeedsQuotaForEach limits the devices of two DeviceClasses
// with a ResourceQuota, and creates claims with a subrequest for each class.
// It compares the usage that the quota reports.
var prioritizedListNeedsQuotaForEach = suite.Spec{
	ID:          "prioritized-list-needs-quota-for-each",
	Description: "A claim needs quota for every subrequest, and is rejected if one of them exceeds it.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    simulatedFeatures,
	Component:   env.Cluster,
	Needs:       []env.Need{env.NeedsOwnNamespace},
	Requirements: []string{
		"4816-quota-for-each-alternative",
	},
	Body: func(ctx context.Context, e *env.Env) {
		// These claims are not allocated, so the DeviceClasses do not need to
		// exist.
		fixture.CreateQuotaOfClasses(ctx, e, map[string]int64{"plenty": 10, "scarce": 4})
		both := func(plenty, scarce int64) resourceapi.DeviceClaim {
			return resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{{Name: "list", FirstAvailable: []resourceapi.DeviceSubRequest{
				{Name: "first", DeviceClassName: "plenty", Count: plenty}, {Name: "second", DeviceClassName: "scarce", Count: scarce},
			}}}}
		}
		either := func(scarce int64) resourceapi.DeviceClaim { return both(1, scarce) }
		accepted := func(name string, devices resourceapi.DeviceClaim, plenty, scarce int64) {
			ginkgo.GinkgoHelper()
			_, err := claims.Create(ctx, e, name, devices)
			gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the quota suffices for each alternative of claim %s", name)
			fixture.ExpectQuotaUsed(ctx, e, "what each alternative of the claims needs", map[corev1.ResourceName]int64{
				fixture.DevicesOfClass("plenty"): plenty, fixture.DevicesOfClass("scarce"): scarce,
			})
		}

		accepted("within", either(2), 1, 2)
		fixture.ExpectQuotaExceeded(ctx, e, either(3), "2 devices are left of the quota for the class of its second alternative")
		fixture.ExpectQuotaExceeded(ctx, e, both(10, 1), "9 devices are left of the quota for the class of its first alternative")
		accepted("rest", either(2), 2, 4)
		fixture.ExpectQuotaExceeded(ctx, e, either(1), "the quota for the class of its second alternative is used up")
		accepted("other", fixture.ClaimOfClass("plenty", 1), 3, 4)
	},
}
