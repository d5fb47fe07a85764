// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongCombinations are clusters whose scheduler is wrong about claims with requests for
// all devices or none, about devices of several pools, or about claims that are
// allocated together with others.
var wrongCombinations = wrong.Table{
	"scheduler identifies devices by pool and name": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, claim := range s.Objects.Claims {
				results := &claim.Status.Allocation.Devices.Results
				for _, r := range *results {
					if claim.Name == "both" {
						r.Driver = strings.Replace(r.Driver, ".draconform.dev", ".second.draconform.dev", 1)
						*results = append(*results, r)
					}
				}
			}
		}), Spec: "devices-are-told-apart",
		Want: []string{"pod card-in-", "is not scheduled"},
	},
	"scheduler identifies devices by the first part of the pool": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, claim := range s.Objects.Claims {
				for i := range claim.Status.Allocation.Devices.Results {
					r := &claim.Status.Allocation.Devices.Results[i]
					r.Pool = strings.TrimSuffix(r.Pool, "/more")
				}
			}
		}), Spec: "devices-are-told-apart",
		Want: []string{"pod card-in-more-one should be unschedulable, because another claim has their devices, one of each pool"},
	},
	"scheduler counts the first device of claims only": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, claim := range s.Objects.Claims {
				claim.Status.Allocation.Devices.Results = claim.Status.Allocation.Devices.Results[:1]
			}
		}), Spec: "devices-are-told-apart",
		Want: []string{"pod card-in-more-one should be unschedulable, because another claim has their devices, one of each pool"},
	},
	"scheduler allocates claims of a pod on other nodes than its allocated ones": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, slice := range s.Objects.Slices {
				if s.Pod.Name == "after" {
					slice.Spec.NodeName, slice.Spec.AllNodes = nil, &yes
				}
			}
		}), Spec: "new-claims-go-with-allocated-ones",
		Want: []string{"pod after should be unschedulable, because the devices for their new claims are not on the node of the allocated one"},
	},
	"scheduler allocates no claims of pods whose last claim is allocated": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "before" {
				s.Nodes = nil
			}
		}), Spec: "new-claims-go-with-allocated-ones",
		Want: []string{"pod before is not scheduled"},
	},
	"scheduler stores the first requirement of node selectors": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: keepRequirement(func(r []corev1.NodeSelectorRequirement) []corev1.NodeSelectorRequirement { return r[:1] })}), Spec: "allocation-selects-nodes-of-all-slices",
		Want: []string{"should select the nodes that the slices of both devices select"},
	},
	"scheduler stores one requirement for each label": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: keepRequirement(func(r []corev1.NodeSelectorRequirement) []corev1.NodeSelectorRequirement {
			return slices.CompactFunc(r, func(a, b corev1.NodeSelectorRequirement) bool { return a.Key == b.Key })
		})}), Spec: "allocation-selects-nodes-of-all-slices",
		Want: []string{"the allocation of claim rack-not-third should select the nodes that the slices of both devices select"},
	},
	"scheduler finds no node for claims without requests": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if len(s.Claims) > 0 && len(s.Claims[0].Spec.Devices.Requests) == 0 {
				s.Nodes = nil
			}
		}), Spec: "claim-without-requests-is-allocated",
		Want: []string{"pod empty is not scheduled"},
	},
	"scheduler treats all claims of a pod like a first one without requests": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if len(s.Claims) > 1 {
				s.Claims = s.Claims[:1]
			}
		}), Spec: "claim-without-requests-is-allocated",
		Want: []string{"with-card"},
	},
	"scheduler allocates as many of all devices as fit": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, slice := range s.Objects.Slices {
				slice.Spec.Devices = slice.Spec.Devices[:min(len(slice.Spec.Devices), resourceapi.AllocationResultsMaxSize)]
			}
		}), Spec: "all-devices-up-to-the-limit",
		Want: []string{"pod beyond should stay pending, because its node has more devices than an allocation can have"},
	},
	"scheduler allocates fewer of all devices than the limit": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, slice := range s.Objects.Slices {
				if n := resourceapi.AllocationResultsMaxSize; len(slice.Spec.Devices) == n {
					slice.Spec.Devices = slice.Spec.Devices[:n-1]
				}
			}
		}), Spec: "all-devices-up-to-the-limit",
		Want: []string{"the claim should be allocated all devices of its node"},
	},
	"scheduler ignores constraints for all devices and others": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) { c.Constraints = nil }), Spec: "constraint-covers-all-devices",
		Want: []string{"pod first-unlike should stay pending, because the device of its other request has another group"},
	},
	"scheduler ignores constraints for all devices": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			if len(c.Requests) == 1 {
				c.Constraints = nil
			}
		}), Spec: "constraint-covers-all-devices",
		Want: []string{"pod unlike should stay pending, because the devices of its node have different groups"},
	},
	"scheduler allocates those of all devices that a constraint allows": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "unlike" {
				for _, slice := range s.Objects.Slices {
					slice.Spec.Devices = slice.Spec.Devices[:min(1, len(slice.Spec.Devices))]
				}
			}
		}), Spec: "constraint-covers-all-devices",
		Want: []string{"pod unlike should stay pending, because the devices of its node have different groups"},
	},
	"scheduler gives up before the last group": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, slice := range s.Objects.Slices {
				slice.Spec.Devices = slices.DeleteFunc(slice.Spec.Devices, func(d resourceapi.Device) bool { return d.Name == "grouped-087" })
			}
		}), Spec: "devices-are-searched-to-the-end",
		Want: []string{"pod four is not scheduled"},
	},
	"scheduler gives each request the first device that is left": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			for i := range c.Requests {
				if selectors := c.Requests[i].Exactly.Selectors; strings.HasPrefix(c.Requests[i].Name, "below-") {
					selectors[0].CEL.Expression = strings.Replace(selectors[0].CEL.Expression, "own.number <", fmt.Sprintf("own.number == %d && own.number <", i), 1)
				}
			}
		}), Spec: "devices-are-searched-to-the-end",
		Want: []string{"pod nested is not scheduled"},
	},
	"scheduler ignores constraints when it has searched for long": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "four-more" {
				s.Claims[0].Spec.Devices.Constraints = nil
			}
		}), Spec: "devices-are-searched-to-the-end",
		Want: []string{"pod four-more should be unschedulable, because no other group has four devices"},
	},
}

// keepRequirement makes the scheduler store a part of the node selector of
// allocations.
func keepRequirement(part func([]corev1.NodeSelectorRequirement) []corev1.NodeSelectorRequirement) func(*fakecluster.Scene, []resourceapi.AllocationResult) {
	return func(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
		for i := range results {
			if selector := results[i].NodeSelector; selector != nil && len(selector.NodeSelectorTerms[0].MatchExpressions) > 0 {
				selector.NodeSelectorTerms[0].MatchExpressions = part(selector.NodeSelectorTerms[0].MatchExpressions)
			}
		}
	}
}
