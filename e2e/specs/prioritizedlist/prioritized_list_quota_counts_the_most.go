// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
)

// prioritizedListQuotaCountsTheMost limits the devices of a DeviceClass with a ResourceQuota.
// It creates claims whose lists have several subrequests for this class, and claims for all of
// its devices, and compares the usage that the quota reports. At last it deletes a claim,
// which makes the quota controller count the other ones anew.
var prioritizedListQuotaCountsTheMost = suite.Spec{
	ID:           "prioritized-list-quota-counts-the-most",
	Description:  "A quota counts as many devices of a class as a claim can be allocated: the most of the subrequests of each list, the sum of all requests, and 32 for all devices. It counts the other claims in the same way when one is deleted.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     simulatedFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsOwnNamespace},
	Requirements: []string{"4816-quota-of-one-class", "4816-quota-of-all-devices", "4816-quota-of-claims-that-are-left"},
	Body: func(ctx context.Context, e *env.Env) {
		// These claims are not allocated, so the DeviceClass does not need to exist.
		const class, limit = "counted", 3 + 7 + 2*resourceapi.AllocationResultsMaxSize
		fixture.CreateQuotaOfClasses(ctx, e, map[string]int64{class: limit})
		few := func(name string, count int64) resourceapi.DeviceSubRequest {
			return resourceapi.DeviceSubRequest{Name: name, DeviceClassName: class, Count: count}
		}
		list := func(name string, of ...resourceapi.DeviceSubRequest) resourceapi.DeviceRequest {
			return resourceapi.DeviceRequest{Name: name, FirstAvailable: of}
		}
		all := resourceapi.DeviceAllocationModeAll
		used := int64(0)
		for _, test := range []struct {
			claim string
			of    []resourceapi.DeviceRequest
			needs int64
		}{
			{"one-list", []resourceapi.DeviceRequest{list("list", few("two", 2), few("three", 3), few("one", 1))}, 3},
			{"two-lists", []resourceapi.DeviceRequest{list("first", few("two", 2), few("three", 3)), list("second", few("four", 4), few("one", 1))}, 3 + 4},
			{"all", []resourceapi.DeviceRequest{{Name: "all", Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: class, AllocationMode: all}}}, resourceapi.AllocationResultsMaxSize},
			{"all-or-one", []resourceapi.DeviceRequest{list("list", resourceapi.DeviceSubRequest{Name: "all", DeviceClassName: class, AllocationMode: all}, few("one", 1))}, resourceapi.AllocationResultsMaxSize},
		} {
			_, err := claims.Create(ctx, e, test.claim, resourceapi.DeviceClaim{Requests: test.of})
			gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the quota suffices for claim %s", test.claim)
			used += test.needs
			fixture.ExpectQuotaUsed(ctx, e, "the most devices that claim "+test.claim+" and those before it can be allocated",
				map[corev1.ResourceName]int64{fixture.DevicesOfClass(class): used})
		}
		fixture.ExpectQuotaExceeded(ctx, e, fixture.ClaimOfClass(class, 1), "the claims need all of the quota")

		claims.Delete(ctx, e, "all")
		fixture.ExpectQuotaUsed(ctx, e, "the most devices that the claims can be allocated that are left without claim all",
			map[corev1.ResourceName]int64{fixture.DevicesOfClass(class): used - resourceapi.AllocationResultsMaxSize})
	},
}
