// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongProviders are clusters whose scheduler makes mistakes about what devices and
// device plugins have left.
var wrongProviders = wrong.Table{
	"scheduler forgets the devices of extended resources": {
		Options: forgetsClaims(true), Spec: "extended-resource-waits-for-free-devices",
		Want: []string{"because the only device provides the extended resource of pod extends"},
	},
	"scheduler forgets the devices of claims": {
		Options: forgetsClaims(false), Spec: "extended-resource-waits-for-free-devices",
		Want: []string{"pod extends should be unschedulable, because a claim has the only device"},
	},
	"pods with claims get no extended resources": {
		Options: misrequests(func(pod *corev1.Pod, claim *fakecluster.ExtendedClaim) {
			if len(pod.Spec.ResourceClaims) > 0 {
				claim.Spec.Devices.Requests = nil
			}
		}),
		Spec: "extended-resource-goes-with-claims", Want: []string{"pod both should have a device for its claim, and one for its extended resource"},
	},
	"scheduler allocates claims and extended resources separately": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
			results[len(results)-1].Devices.Results[0].Device = results[0].Devices.Results[0].Device
		}}),
		Spec: "extended-resource-goes-with-claims", Want: []string{"card-0"},
	},
	"scheduler ignores device plugins": {
		Options: wrong.Misreads(ignorePlugins), Spec: "extended-resource-device-plugin-comes-first",
		Want: []string{"pod first should own no claims, because a device plugin provides the extended resource on the only node"},
	},
	"devices provide what device plugins lack": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "second" {
				ignorePlugins(s)
			}
		}),
		Spec: "extended-resource-device-plugin-comes-first", Want: []string{"pod second should be unschedulable, because pod first uses what the device plugin of the only node provides"},
	},
	"scheduler allocates the devices of device plugins": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "claims" {
				wrong.ForEachDevice(s, func(slice *resourceapi.ResourceSliceSpec, _ *resourceapi.Device) {
					slice.Driver = "used-up.example.com"
				})
			}
		}),
		Spec: "extended-resource-device-plugin-comes-first", Want: []string{"pod claims is not scheduled"},
	},
	"a resource has device plugins on all nodes or on none": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, node := range s.Nodes {
				if len(node.Status.Allocatable) > 3 {
					s.Nodes = []*corev1.Node{node}
				}
			}
		}),
		Spec: "extended-resource-nodes-differ", Want: []string{"pod second is not scheduled"},
	},
	"a resource with a DeviceClass has no device plugins": {
		Options: wrong.Misreads(ignorePlugins), Spec: "extended-resource-nodes-differ",
		Want: []string{"pod second is not scheduled"},
	},
	"the claim is for all extended resources": {
		Options: wrong.Misreads(ignorePlugins), Spec: "extended-resource-providers-are-mixed",
		Want: []string{"the devices for the extended resources of pod pod should be [card], because a device plugin provides the other extended resource"},
	},
	"a resource that the status of the node names has a device plugin": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, node := range s.Nodes {
				for name, amount := range node.Status.Allocatable {
					if amount.IsZero() {
						node.Status.Allocatable[name] = resource.MustParse("1")
					}
				}
			}
		}),
		Spec: "extended-resource-plugin-without-devices", Want: []string{"has no extendedResourceClaimStatus"},
	},
	"scheduler does not retry pods when device plugins end": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Overlooks: "nodes"}),
		Spec:    "extended-resource-device-plugin-goes", Want: []string{"pod pod is not scheduled"},
	},
	"devices provide what a device plugin has too little of": {
		Options: wrong.Misreads(ignorePlugins),
		Spec:    "extended-resource-device-plugin-goes", Want: []string{"pod pod should be unschedulable, because the device plugin of the only node provides one card"},
	},
	"the claim is for what a node without device plugins lacks": {
		Options: wrong.Misreads(ignorePlugins), Spec: "extended-resource-providers-differ-by-node",
		Want: []string{"should be for 1 extended resources, because a device plugin provides the other one on its node"},
	},
	"the claim is for what a node with device plugins lacks": {
		Options: wrong.With(fakecluster.SchedulerMistakes{
			Misreads: func(s *fakecluster.Scene) { s.Nodes = s.Nodes[len(s.Nodes)-1:] },
			MisrequestsExtended: func(_ *corev1.Pod, claim *fakecluster.ExtendedClaim) {
				dropRequests(claim, func(m corev1.ContainerExtendedResourceRequest) bool {
					return strings.HasSuffix(m.ResourceName, "/disk")
				})
			},
		}),
		Spec: "extended-resource-providers-differ-by-node", Want: []string{"should be for 2 extended resources, because its node has no device plugins"},
	},
	"the status maps all extended resources": {
		Options: misrequests(func(_ *corev1.Pod, claim *fakecluster.ExtendedClaim) {
			more := claim.Mappings[0]
			more.ResourceName = strings.Replace(more.ResourceName, "/card", "/disk", 1)
			claim.Mappings = append(claim.Mappings, more)
		}),
		Spec: "extended-resource-providers-are-mixed", Want: []string{"the status of pod pod should map only the extended resource of the device"},
	},
}

// forgetsClaims returns the options of a cluster whose scheduler does not know
// which devices are allocated for extended resources, or to claims.
func forgetsClaims(extended bool) fakecluster.Options {
	return wrong.Misreads(func(s *fakecluster.Scene) {
		s.Objects.Claims = slices.DeleteFunc(s.Objects.Claims, func(c *resourceapi.ResourceClaim) bool {
			return extended == (c.Annotations[resourceapi.ExtendedResourceClaimAnnotation] == "true")
		})
	})
}

// ignorePlugins makes the scheduler see no extended resources of device plugins.
func ignorePlugins(s *fakecluster.Scene) {
	for _, node := range s.Nodes {
		for name := range node.Status.Allocatable {
			if strings.Contains(string(name), "/") {
				delete(node.Status.Allocatable, name)
			}
		}
	}
}
