// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package wrongclusters has clusters with faults that the specs of the profile
// node-allocatable must detect.
package wrongclusters

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// All are clusters with faults, and the specs that must detect them.
var All = wrong.Table{
	"scheduler ignores the resources of devices": {
		Options: misreadsResources(func(*fakecluster.Scene, *resourceapi.NodeAllocatableResource) bool { return false }), Spec: "node-resources-of-devices-are-used",
		Want: []string{"the status of the pod should have the 40 cpus of its two devices"},
	},
	"scheduler counts one device of a claim": {
		Options: misreadsResources(func(_ *fakecluster.Scene, r *resourceapi.NodeAllocatableResource) bool {
			r.Mapping.DeviceMultiplier = ptr.To(resource.MustParse("10"))
			return true
		}),
		Spec: "node-resources-of-devices-are-used", Want: []string{"the status of the pod should have the 40 cpus of its two devices"},
	},
	"scheduler does not look at what is left": {
		Options: misreadsResources(func(s *fakecluster.Scene, _ *resourceapi.NodeAllocatableResource) bool { return s.Pod.Name != "second" }), Spec: "node-resources-limit-devices",
		Want: []string{"pod second should be unschedulable, because its device stands for 20 cpus, and the node has fewer left"},
	},
	"scheduler counts resources twice": {
		Options: misreadsResources(func(_ *fakecluster.Scene, r *resourceapi.NodeAllocatableResource) bool {
			r.Mapping.DeviceMultiplier = ptr.To(resource.MustParse("40"))
			return true
		}),
		Spec: "node-resources-limit-devices", Want: []string{"pod first is not scheduled"},
	},
	"scheduler ignores the factor": {
		Options: misreadsResources(func(_ *fakecluster.Scene, r *resourceapi.NodeAllocatableResource) bool {
			r.Mapping.CapacityMultiplier = ptr.To(resource.MustParse("1"))
			return true
		}),
		Spec: "node-resources-by-capacity", Want: []string{"pod second should be unschedulable, because its 24 cores are 36 cpus"},
	},
	"scheduler rounds the factor up": {
		Options: misreadsResources(func(_ *fakecluster.Scene, r *resourceapi.NodeAllocatableResource) bool {
			r.Mapping.CapacityMultiplier = ptr.To(resource.MustParse("2"))
			return true
		}),
		Spec: "node-resources-by-capacity", Want: []string{"pod third is not scheduled"},
	},
	"scheduler reads the overhead of devices only if they stand for nothing": {
		Options: misreadsResources(func(_ *fakecluster.Scene, r *resourceapi.NodeAllocatableResource) bool {
			if r.Mapping != nil {
				r.Overhead = nil
			}
			return true
		}),
		Spec: "node-resources-add-up", Want: []string{"pod many should be unschedulable, because 40 of the 64 cpus of the node are used"},
	},
	"scheduler finds devices by pool and name": {
		Options: findsResourcesBy(func(of *resourceapi.ResourceSliceSpec) string { return of.Pool.Name }), Spec: "node-resources-of-each-device",
		Want: []string{"the status of the pod should have the cpus of each of its devices"},
	},
	"scheduler finds devices by driver and name": {
		Options: findsResourcesBy(func(of *resourceapi.ResourceSliceSpec) string { return of.Driver }), Spec: "node-resources-of-each-device",
		Want: []string{"the status of the pod should have the cpus of each of its devices"},
	},
	"scheduler writes the resources of the last claim": {
		Options: wrong.With(fakecluster.SchedulerMistakes{MisstatesResources: func(all []corev1.NodeAllocatableResourceClaimStatus) []corev1.NodeAllocatableResourceClaimStatus {
			return all[max(0, len(all)-1):]
		}}),
		Spec: "node-resources-add-up", Want: []string{"the status of the pod should have the cpus of the devices of both claims"},
	},
	"scheduler counts the whole capacity": {
		Options: misreadsResources(func(_ *fakecluster.Scene, r *resourceapi.NodeAllocatableResource) bool {
			r.Mapping = &resourceapi.NodeAllocatableMapping{DeviceMultiplier: ptr.To(resource.MustParse("200"))}
			return true
		}),
		Spec: "node-resources-by-capacity", Want: []string{"pod first is not scheduled"},
	},
	"kubelet does not raise limits": {
		Options: mislimits(func(added corev1.ResourceList) { clear(added) }), Spec: "node-resources-raise-limits",
		Want: []string{"the memory of container workload should be limited to 88Mi"},
	},
	"kubelet removes the resources of claims from the status of pods": {
		Options: wrong.With(fakecluster.KubeletMistakes{LosesNodeResources: true}), Spec: "node-resources-raise-limits",
		Want: []string{"the kubelet should keep the overhead of claim pod in the status that it updates"},
	},
	"kubelet adds the overhead of containers only": {
		Options: mislimits(func(added corev1.ResourceList) {
			if len(added) > 0 {
				added[corev1.ResourceMemory] = resource.MustParse("8Mi")
			}
		}),
		Spec: "node-resources-raise-limits", Want: []string{"the memory of container workload should be limited to 88Mi"},
	},
	"kubelet raises the limits of all containers": {
		Options: mislimits(func(added corev1.ResourceList) { added[corev1.ResourceMemory] = resource.MustParse("24Mi") }), Spec: "node-resources-raise-limits",
		Want: []string{"the memory of container other should be limited to 64Mi, because it does not use the device"},
	},
	"scheduler ignores overhead": {
		Options: misreadsResources(func(*fakecluster.Scene, *resourceapi.NodeAllocatableResource) bool { return false }), Spec: "node-resources-as-overhead",
		Want: []string{"pod second should be unschedulable, because the overhead of its device is more than the node has left"},
	},
	"scheduler counts the overhead of a claim once": {
		Options: misreadsResources(func(s *fakecluster.Scene, _ *resourceapi.NodeAllocatableResource) bool { return s.Pod.Name != "shares" }), Spec: "node-resources-as-overhead",
		Want: []string{"pod shares should not be bound, because the overhead of the device of its claim is needed for each pod"},
	},
	"scheduler counts the overhead of containers once": {
		Options: misstatesOverhead("35Gi"), Spec: "node-resources-as-overhead-of-containers",
		Want: []string{"pod third should be unschedulable, because three containers use devices with an overhead"},
	},
	"scheduler counts the overhead of containers for all of them": {
		Options: misstatesOverhead("105Gi"), Spec: "node-resources-as-overhead-of-containers",
		Want: []string{"pod second is not scheduled"},
	},
	"scheduler lets pods share resources": {
		Options: misreadsResources(func(*fakecluster.Scene, *resourceapi.NodeAllocatableResource) bool { return false }), Spec: "node-resources-of-one-pod",
		Want: []string{"pod second should not be bound, because another pod uses its claim"},
	},
	"API server accepts invalid resources": {
		Spec: "node-resources-are-validated", Want: []string{"neither a mapping nor an overhead: is accepted", "an extended resource: is accepted"},
	},
	"API server accepts resources of any node": {
		Spec: "node-resources-need-capable-nodes",
		Want: []string{"the API server should reject devices with resources of a node that does not declare the feature: <nil>"},
	},
	"API server keeps resources without the feature": {
		Target: wrong.WithoutFeature(features.NodeAllocatable), Spec: "node-resources-are-dropped",
		Want: []string{"a device that stands for cpus: nodeAllocatableResources should be dropped"},
	},
}

// misreadsResources returns the options of a cluster whose scheduler sees changed
// resources of devices. It does not see those for which change returns false.
func misreadsResources(change func(*fakecluster.Scene, *resourceapi.NodeAllocatableResource) bool) fakecluster.Options {
	return wrong.Misreads(func(s *fakecluster.Scene) {
		wrong.ForEachDevice(s, func(_ *resourceapi.ResourceSliceSpec, d *resourceapi.Device) {
			seen := map[corev1.ResourceName]resourceapi.NodeAllocatableResource{}
			for name, r := range d.NodeAllocatableResources {
				if change(s, &r) {
					seen[name] = r
				}
			}
			d.NodeAllocatableResources = seen
		})
	})
}

// findsResourcesBy returns the options of a cluster whose scheduler takes devices of the same
// name for the same, if their slices have the same key.
func findsResourcesBy(key func(*resourceapi.ResourceSliceSpec) string) fakecluster.Options {
	return wrong.Misreads(func(s *fakecluster.Scene) {
		first := map[string]map[corev1.ResourceName]resourceapi.NodeAllocatableResource{}
		wrong.ForEachDevice(s, func(of *resourceapi.ResourceSliceSpec, d *resourceapi.Device) {
			id := key(of) + "/" + d.Name
			if _, found := first[id]; !found {
				first[id] = d.NodeAllocatableResources
			}
			d.NodeAllocatableResources = first[id]
		})
	})
}

// misstatesOverhead returns the options of a cluster whose scheduler sees another
// overhead of containers for pod first, of which two containers use a device.
func misstatesOverhead(perContainer string) fakecluster.Options {
	return misreadsResources(func(s *fakecluster.Scene, r *resourceapi.NodeAllocatableResource) bool {
		if s.Pod.Name == "first" {
			r.Overhead = &resourceapi.NodeAllocatableOverhead{PerContainer: ptr.To(resource.MustParse(perContainer))}
		}
		return true
	})
}

// mislimits returns the options of a cluster whose kubelets add other amounts to the limits of
// containers.
func mislimits(change func(added corev1.ResourceList)) fakecluster.Options {
	return wrong.With(fakecluster.KubeletMistakes{Mislimits: change})
}
