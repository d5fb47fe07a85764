// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongRequests are clusters that make mistakes with the requests of containers.
var wrongRequests = wrong.Table{
	"scheduler requests one device whatever the amount is": {
		Options: misrequests(func(_ *corev1.Pod, claim *fakecluster.ExtendedClaim) {
			for _, request := range claim.Spec.Devices.Requests {
				request.Exactly.Count = 1
			}
		}),
		Spec: "extended-resource-is-provided-by-devices", Want: []string{"the devices for the extended resources of pod pod should be [card-0 card-1]"},
	},
	"requests tolerate the taints that the pod tolerates": {
		Options: misrequests(func(pod *corev1.Pod, claim *fakecluster.ExtendedClaim) {
			for _, request := range claim.Spec.Devices.Requests {
				for _, t := range pod.Spec.Tolerations {
					request.Exactly.Tolerations = append(request.Exactly.Tolerations, resourceapi.DeviceToleration{Key: t.Key, Operator: resourceapi.DeviceTolerationOperator(t.Operator)})
				}
			}
		}),
		Spec: "extended-resource-keeps-to-taints", Want: []string{"the devices for the extended resources of pod first should be [card-1], because the other device has a taint"},
	},
	"devices that had a taint are not used again": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "second" {
				s.Objects.Slices = nil
			}
		}),
		Spec: "extended-resource-keeps-to-taints", Want: []string{"pod second is not scheduled"},
	},
	"all containers are mapped to the first request": {
		Options: misrequests(func(_ *corev1.Pod, claim *fakecluster.ExtendedClaim) {
			for i := range claim.Mappings {
				claim.Mappings[i].RequestName = claim.Mappings[0].RequestName
			}
		}),
		Spec: "extended-resource-has-requests-per-container", Want: []string{"the status of pod pod should map each container to requests with its amounts"},
	},
	"scheduler ignores the configuration of classes for extended resources": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, class := range s.Objects.Classes {
				class.Spec.Config = nil
			}
		}),
		Spec: "extended-resource-is-configured-by-class", Want: []string{"that are configured by a class should be those of the class with a configuration"},
	},
	"only the first container is mapped": {
		Options: misrequests(func(_ *corev1.Pod, claim *fakecluster.ExtendedClaim) { claim.Mappings = claim.Mappings[:1] }), Spec: "extended-resource-has-requests-per-container",
		Want: []string{"the status of pod pod should map each container to requests with its amounts"},
	},
	"containers without extended resources get devices": {
		Options: misrequests(func(_ *corev1.Pod, claim *fakecluster.ExtendedClaim) {
			more := *claim.Spec.Devices.Requests[0].DeepCopy()
			more.Name = "more"
			claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, more)
		}),
		Spec: "extended-resource-has-requests-per-container", Want: []string{"pod pod is not scheduled"},
	},
	"containers that request nothing are mapped": {
		Options: misrequests(func(pod *corev1.Pod, claim *fakecluster.ExtendedClaim) {
			if pod.Name == "partly" {
				more := claim.Mappings[0]
				more.ContainerName = "workload"
				claim.Mappings = append(claim.Mappings, more)
			}
		}),
		Spec: "extended-resource-serves-init-containers", Want: []string{"container workload of pod partly should be mapped to the devices that it requests"},
	},
	"init containers are not mapped": {
		Options: misrequests(func(_ *corev1.Pod, claim *fakecluster.ExtendedClaim) {
			claim.Mappings = slices.DeleteFunc(claim.Mappings, isOfInit)
		}),
		Spec: "extended-resource-serves-init-containers", Want: []string{"container init-0 of pod pod should be mapped to the devices that it requests"},
	},
	"containers are mapped to the requests of init containers": {
		Options: misrequests(func(_ *corev1.Pod, claim *fakecluster.ExtendedClaim) {
			for _, m := range claim.Mappings {
				if isOfInit(m) {
					m.ContainerName = "workload"
					claim.Mappings = append(claim.Mappings, m)
				}
			}
		}),
		Spec: "extended-resource-serves-init-containers", Want: []string{"container workload of pod pod should be mapped to the devices that it requests"},
	},
	"the first init container that needs more decides how much more": {
		Options: misrequests(func(_ *corev1.Pod, claim *fakecluster.ExtendedClaim) {
			for _, request := range claim.Spec.Devices.Requests {
				if strings.HasPrefix(request.Name, "container-1-") {
					request.Exactly.Count = 1
				}
			}
		}),
		Spec: "extended-resource-serves-init-containers", Want: []string{"container init-1 of pod pod should be mapped to the devices that it requests"},
	},
	"resources of init containers only are overlooked": {
		Options: misrequests(func(pod *corev1.Pod, claim *fakecluster.ExtendedClaim) {
			if len(pod.Spec.Containers[0].Resources.Requests) == 0 {
				claim.Spec.Devices.Requests, claim.Mappings = nil, nil
			}
		}),
		Spec: "extended-resource-serves-init-containers", Want: []string{"container init of pod only-init should be mapped to the devices that it requests"},
	},
	"sidecars use the devices of containers": {
		Options: misrequests(func(_ *corev1.Pod, claim *fakecluster.ExtendedClaim) { useRequestOf(claim, "sidecar", "workload") }), Spec: "extended-resource-sidecars-have-own-devices",
		Want: []string{"should not have the device of sidecar, which runs beside it"},
	},
	"init containers use the devices of sidecars that run": {
		Options: misrequests(func(_ *corev1.Pod, claim *fakecluster.ExtendedClaim) { useRequestOf(claim, "init", "sidecar") }), Spec: "extended-resource-sidecars-have-own-devices",
		Want: []string{"container init of pod pod should not have the device of sidecar, which runs beside it"},
	},
	"sidecars share devices": {
		Options: misrequests(func(_ *corev1.Pod, claim *fakecluster.ExtendedClaim) {
			useRequestOf(claim, "second-sidecar", "sidecar")
		}), Spec: "extended-resource-sidecars-have-own-devices",
		Want: []string{"container second-sidecar of pod pod should not have the device of sidecar, which runs beside it"},
	},
	"init containers have devices of their own": {
		Options: misrequests(func(_ *corev1.Pod, claim *fakecluster.ExtendedClaim) {
			for i, m := range claim.Mappings {
				if isOfInit(m) {
					own := *claim.Spec.Devices.Requests[0].DeepCopy()
					own.Name = m.ContainerName
					claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, own)
					claim.Mappings[i].RequestName = own.Name
				}
			}
		}),
		Spec: "extended-resource-init-containers-share-devices", Want: []string{"pod pod is not scheduled"},
	},
	"kubelet passes all devices to all containers": {
		Options: wrong.With(fakecluster.ContainerMistakes{ShowsAllRequests: true}), Spec: "extended-resource-containers-see-devices",
		Want: []string{"the container of pod pod should see the devices of its claim and no others"},
	},
	"containers see the devices for their first extended resource": {
		Options: wrong.With(fakecluster.ContainerMistakes{ShowsFirstMapping: true}), Spec: "extended-resources-of-one-container",
		Want: []string{"the container of pod two should see the devices of its claim and no others"},
	},
	"containers with claims do not see the devices for their extended resources": {
		Options: wrong.With(fakecluster.ContainerMistakes{ShowsClaimsOnly: true}), Spec: "extended-resources-of-one-container",
		Want: []string{"the container of pod both should see the devices of"},
	},
	"kubelet passes no devices to init containers": {
		Options: wrong.With(fakecluster.ContainerMistakes{HidesFromInit: true}), Spec: "extended-resource-init-containers-see-devices",
		Want: []string{"container init-user of pod pod should see the devices of the claims that it uses and no others"},
	},
}

// misrequests returns the options of a cluster whose scheduler changes the claim for
// extended resources before the allocation.
func misrequests(change func(*corev1.Pod, *fakecluster.ExtendedClaim)) fakecluster.Options {
	return wrong.With(fakecluster.SchedulerMistakes{MisrequestsExtended: change})
}

// useRequestOf maps a container to the request of another one.
func useRequestOf(claim *fakecluster.ExtendedClaim, container, other string) {
	i := slices.IndexFunc(claim.Mappings, func(m corev1.ContainerExtendedResourceRequest) bool { return m.ContainerName == other })
	for j := range claim.Mappings {
		if claim.Mappings[j].ContainerName == container {
			claim.Mappings[j].RequestName = claim.Mappings[i].RequestName
		}
	}
}

// isOfInit reports whether a mapping is that of an init container.
func isOfInit(m corev1.ContainerExtendedResourceRequest) bool {
	return strings.HasPrefix(m.ContainerName, "init")
}
