// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
)

// allocationIsImmutable updates the status of an allocated claim in dry runs, with other
// allocations and with other consumers.
var allocationIsImmutable = suite.Spec{
	ID:           "allocation-is-immutable",
	Description:  "The API server rejects changes of the allocation of a claim. The claim can be reserved for more consumers, and deallocated when there are none.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-allocation-is-immutable"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := allocateCards(ctx, e, "card")
		for what, change := range changesOfAllocations(sim.Driver) {
			expectRejected(ctx, e, itsStatus, "card", "status.allocation", what, func(c *resourceapi.ResourceClaim) { change(c.Status.Allocation) })
		}
		before := claims.Get(ctx, e, "card").Status
		stored := expectAccepted(ctx, e, itsStatus, "card", "its consumers", reserveForOther)
		gomega.Expect(stored.Status.ReservedFor).To(gomega.HaveLen(2), "the API server should store another consumer")
		gomega.Expect(stored.Status.Allocation).To(gomega.Equal(before.Allocation), "the allocation should stay as it is when a consumer is added")
		stored = expectAccepted(ctx, e, itsStatus, "card", "its allocation and its consumers to none", func(c *resourceapi.ResourceClaim) {
			c.Status = resourceapi.ResourceClaimStatus{}
		})
		gomega.Expect(stored.Status).To(gomega.Equal(resourceapi.ResourceClaimStatus{}), "the API server should deallocate the claim")
	},
}

// changesOfAllocations are changes of the allocation of a device of a driver on a node.
// The changed allocations are valid.
func changesOfAllocations(driver string) map[string]func(*resourceapi.AllocationResult) {
	return map[string]func(*resourceapi.AllocationResult){
		"the allocated device":             func(a *resourceapi.AllocationResult) { a.Devices.Results[0].Device = "other" },
		"the pool of the allocated device": func(a *resourceapi.AllocationResult) { a.Devices.Results[0].Pool = "other" },
		"the number of allocated devices": func(a *resourceapi.AllocationResult) {
			other := *a.Devices.Results[0].DeepCopy()
			other.Device = "other"
			a.Devices.Results = append(a.Devices.Results, other)
		},
		"the allocated devices to none": func(a *resourceapi.AllocationResult) { a.Devices.Results = nil },
		"the configuration of the allocation": func(a *resourceapi.AllocationResult) {
			a.Devices.Config = append(a.Devices.Config, resourceapi.DeviceAllocationConfiguration{
				Source: resourceapi.AllocationConfigSourceClaim, DeviceConfiguration: configurationFor(driver, "other"),
			})
		},
		"the node of the allocation": func(a *resourceapi.AllocationResult) {
			a.NodeSelector.NodeSelectorTerms = []corev1.NodeSelectorTerm{{
				MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"other"}}},
			}}
		},
		"the nodes of the allocation to all": func(a *resourceapi.AllocationResult) { a.NodeSelector = nil },
	}
}
