// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/utils/ptr"
)

// fitsResources reports whether a node has the resources that a pod requests, and
// those of its devices (KEP-5517). allocated are the results for the claims of
// the scene.
func (s *Scene) fitsResources(node *corev1.Node, allocated []resourceapi.AllocationResult) bool {
	statuses, ok := s.resourcesOf(allocated)
	if !ok {
		return false
	}
	needed := demand(s.Pod, statuses)
	if len(needed) == 0 {
		return true
	}
	// A node of the fake cluster has enough of what it does not list.
	free := node.Status.Allocatable.DeepCopy()
	for _, pod := range s.bound {
		if pod.Spec.NodeName == node.Name && pod.UID != s.Pod.UID {
			for name, used := range demand(pod, pod.Status.NodeAllocatableResourceClaimStatuses) {
				if left, ok := free[name]; ok {
					left.Sub(used)
					free[name] = left
				}
			}
		}
	}
	for name, amount := range needed {
		total := node.Status.Allocatable[name]
		if strings.Contains(string(name), "/") && total.IsZero() {
			continue // Devices provide it.
		}
		if left, ok := free[name]; ok && left.Cmp(amount) < 0 {
			return false
		}
	}
	return true
}

// demand returns what a pod needs of each resource of its node.
func demand(pod *corev1.Pod, statuses []corev1.NodeAllocatableResourceClaimStatus) corev1.ResourceList {
	total := corev1.ResourceList{}
	for _, container := range pod.Spec.Containers {
		for name, amount := range container.Resources.Requests {
			add(total, name, amount)
		}
	}
	for _, status := range statuses {
		for _, m := range status.Mapping {
			add(total, m.Name, *m.Quantity)
		}
		for _, o := range status.Overhead {
			add(total, o.Name, ptr.Deref(o.PerPod, resource.Quantity{}))
			for range status.Containers {
				add(total, o.Name, ptr.Deref(o.PerContainer, resource.Quantity{}))
			}
		}
	}
	return total
}

func add(total corev1.ResourceList, name corev1.ResourceName, amount resource.Quantity) {
	sum := total[name]
	sum.Add(amount)
	total[name] = sum
}

// resourcesOf returns the resources of the node that the devices of a pod's
// claims have. It reports false if another pod uses a claim with devices that are
// resources of the node themselves.
func (s *Scene) resourcesOf(allocated []resourceapi.AllocationResult) ([]corev1.NodeAllocatableResourceClaimStatus, bool) {
	var all []corev1.NodeAllocatableResourceClaimStatus
	for _, claim := range s.own {
		allocation := claim.Status.Allocation
		if i := slices.Index(s.Claims, claim); i >= 0 {
			allocation = &allocated[i]
		}
		if allocation == nil {
			continue // A fault hides the claim.
		}
		status := corev1.NodeAllocatableResourceClaimStatus{ResourceClaimName: claim.Name}
		for _, result := range allocation.Devices.Results {
			for name, of := range s.nodeResources(result) {
				addResource(&status, name, of, result)
			}
		}
		if len(status.Mapping) > 0 && slices.ContainsFunc(claim.Status.ReservedFor, func(user resourceapi.ResourceClaimConsumerReference) bool { return user.UID != s.Pod.UID }) {
			return nil, false
		}
		if len(status.Mapping)+len(status.Overhead) > 0 {
			status.Containers = containersOf(s.Pod, claim.Name)
			all = append(all, status)
		}
	}
	return all, true
}

// nodeResources returns the resources of the node that an allocated device has.
func (s *Scene) nodeResources(result resourceapi.DeviceRequestAllocationResult) map[corev1.ResourceName]resourceapi.NodeAllocatableResource {
	for _, slice := range s.Objects.Slices {
		if slice.Spec.Driver != result.Driver || slice.Spec.Pool.Name != result.Pool {
			continue
		}
		for _, device := range slice.Spec.Devices {
			if device.Name == result.Device {
				return device.NodeAllocatableResources
			}
		}
	}
	return nil
}

// setLimits sets the limits of running containers with those that their claims add.
func (c *Cluster) setLimits(pod *corev1.Pod) {
	for i := range pod.Spec.Containers {
		container := &pod.Spec.Containers[i]
		added := resourcehelper.GetContainerDRAAllocations(pod, container.Name)
		if c.Mistakes.Mislimits != nil {
			c.Mistakes.Mislimits(added)
		}
		resources := container.Resources.DeepCopy()
		for name := range resources.Limits {
			add(resources.Limits, name, added[name])
		}
		pod.Status.ContainerStatuses[i].Resources = resources
	}
	if c.Mistakes.LosesNodeResources {
		pod.Status.NodeAllocatableResourceClaimStatuses = nil
	}
}

// addResource adds a resource of a device to those of its claim.
func addResource(status *corev1.NodeAllocatableResourceClaimStatus, name corev1.ResourceName, of resourceapi.NodeAllocatableResource, result resourceapi.DeviceRequestAllocationResult) {
	if m := of.Mapping; m != nil {
		amount := ptr.Deref(m.DeviceMultiplier, resource.Quantity{})
		if m.CapacityKey != nil {
			consumed := result.ConsumedCapacity[*m.CapacityKey].DeepCopy()
			product := consumed.AsDec()
			multiplier := m.CapacityMultiplier.DeepCopy()
			amount = *resource.NewDecimalQuantity(*product.Mul(product, multiplier.AsDec()), resource.DecimalSI)
		}
		i := slices.IndexFunc(status.Mapping, func(r corev1.NodeAllocatableMappedResources) bool { return r.Name == name })
		if i < 0 {
			i = len(status.Mapping)
			status.Mapping = append(status.Mapping, corev1.NodeAllocatableMappedResources{Name: name, Quantity: &resource.Quantity{}})
		}
		status.Mapping[i].Quantity.Add(amount)
	}
	if o := of.Overhead; o != nil {
		status.Overhead = append(status.Overhead, corev1.NodeAllocatableOverheadResources{Name: name, PerPod: o.PerPod, PerContainer: o.PerContainer})
	}
}

// containersOf returns the containers of a pod that use a claim.
func containersOf(pod *corev1.Pod, claim string) []string {
	var names []string
	for _, used := range pod.Spec.ResourceClaims {
		if ptr.Deref(used.ResourceClaimName, "") != claim {
			continue
		}
		for _, container := range pod.Spec.Containers {
			if slices.ContainsFunc(container.Resources.Claims, func(c corev1.ResourceClaim) bool { return c.Name == used.Name }) {
				names = append(names, container.Name)
			}
		}
	}
	return names
}
