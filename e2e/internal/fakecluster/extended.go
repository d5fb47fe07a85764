// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// ExtendedClaim is the claim that the scheduler creates for extended resources
// that the devices of a node provide to a pod (KEP-5004).
type ExtendedClaim struct {
	*resourceapi.ResourceClaim
	// Mappings are the requests of each container, in the status of the pod.
	Mappings []corev1.ContainerExtendedResourceRequest
}

// extendedClaim returns the claim for the extended resources that devices have
// to provide to the pod on a node. It is nil if there are none. ok is false if
// the node lacks a resource that nothing else provides.
func (s *Scene) extendedClaim(node *corev1.Node) (claim *ExtendedClaim, ok bool) {
	claim = &ExtendedClaim{ResourceClaim: &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{
		Namespace: s.Pod.Namespace, Annotations: map[string]string{resourceapi.ExtendedResourceClaimAnnotation: "true"},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: s.Pod.Name, UID: s.Pod.UID, Controller: ptr.To(true)}},
	}}}
	for name, total := range extendedResources(s.Pod) {
		allocatable := node.Status.Allocatable[name]
		class := s.classOf(name)
		switch {
		case allocatable.Value() > 0 && allocatable.Value()-s.pluginUse[node.Name][name] < total, allocatable.Value() == 0 && class == "":
			return nil, false
		case allocatable.Value() == 0:
			claim.add(s.Pod, name, class)
		}
	}
	if len(claim.Spec.Devices.Requests) == 0 {
		return nil, true
	}
	slices.SortFunc(claim.Spec.Devices.Requests, func(a, b resourceapi.DeviceRequest) int { return strings.Compare(a.Name, b.Name) })
	return claim, true
}

// classOf returns the DeviceClass whose devices provide an extended resource, or
// an empty string.
func (s *Scene) classOf(name corev1.ResourceName) string {
	var newest *resourceapi.DeviceClass
	for _, class := range s.Objects.Classes { // sorted by name
		if string(name) == resourceapi.ResourceDeviceClassPrefix+class.Name {
			return class.Name
		}
		if ptr.Deref(class.Spec.ExtendedResourceName, "") == string(name) && (newest == nil || newest.CreationTimestamp.Before(&class.CreationTimestamp)) {
			newest = class
		}
	}
	if newest == nil {
		return ""
	}
	return newest.Name
}

// add adds requests for a resource. Each container has its own. Init containers
// use those of the containers after them first, because they end before these start.
// Sidecars do not end.
func (c *ExtendedClaim) add(pod *corev1.Pod, name corev1.ResourceName, class string) {
	containers := slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers)
	ends := func(i int) bool { return i < len(pod.Spec.InitContainers) && containers[i].RestartPolicy == nil }
	request := func(i int, count int64) int {
		number := len(c.Spec.Devices.Requests)
		c.Spec.Devices.Requests = append(c.Spec.Devices.Requests, resourceapi.DeviceRequest{
			Name:    fmt.Sprintf("container-%d-request-%d", i, number),
			Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: class, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count},
		})
		c.use(containers[i], name, number)
		return number
	}
	own := map[int]int{} // The requests of containers that do not end, by container.
	for i, container := range containers {
		if n := requested(container, name); n > 0 && !ends(i) {
			own[i] = request(i, n)
		}
	}
	for i, container := range pod.Spec.InitContainers {
		missing := requested(container, name)
		for later := i; later < len(containers) && ends(i) && missing > 0; later++ {
			if j, ok := own[later]; ok {
				c.use(container, name, j)
				missing -= c.Spec.Devices.Requests[j].Exactly.Count
			}
		}
		if ends(i) && missing > 0 {
			request(i, missing)
		}
	}
}

// use records that a container uses a request for a resource.
func (c *ExtendedClaim) use(container corev1.Container, name corev1.ResourceName, request int) {
	c.Mappings = append(c.Mappings, corev1.ContainerExtendedResourceRequest{
		ContainerName: container.Name, ResourceName: string(name), RequestName: c.Spec.Devices.Requests[request].Name,
	})
}

// createExtended creates the claim for the extended resources of a pod, and
// names it in the status of the pod.
func (c *Cluster) createExtended(pod *corev1.Pod, claim *ExtendedClaim, allocation *resourceapi.AllocationResult) error {
	c.uids++
	claim.Name, claim.UID = fmt.Sprintf("%s-extended-resources-%d", pod.Name, c.uids), types.UID(fmt.Sprintf("uid-%d", c.uids))
	if c.Mistakes.NamesClaimsAfterPods {
		claim.Name = fixedName(pod)
	}
	claim.Status.Allocation = allocation
	addUser(claim.ResourceClaim, pod)
	pod.Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: claim.Name, RequestMappings: claim.Mappings}
	if change := c.Mistakes.MisrecordsExtended; change != nil {
		change(pod, claim.ResourceClaim)
	}
	if err := c.charge(claim.ResourceClaim, false); err != nil {
		return err
	}
	return c.store(claims, claim.ResourceClaim)
}

// fixedName is the name of the claim for the extended resources of a pod if it does not depend on
// anything but the name of the pod.
func fixedName(pod *corev1.Pod) string { return pod.Name + "-extended-resources" }

// lacksName reports whether the claim for the extended resources of a pod cannot be created,
// because there is one of the name.
func (c *Cluster) lacksName(pod *corev1.Pod) bool {
	_, exists := c.uidOfClaim(types.NamespacedName{Namespace: pod.Namespace, Name: fixedName(pod)})
	return exists && c.Mistakes.NamesClaimsAfterPods
}

// deleteEarlier deletes the claim for extended resources that an earlier attempt to
// schedule the pod left. It reports whether there was one.
func (c *Cluster) deleteEarlier(pod *corev1.Pod) (bool, error) {
	if len(extendedResources(pod)) == 0 || c.Mistakes.IgnoresEarlierClaims {
		return false, nil
	}
	all, err := c.sharedClaims()
	i := slices.IndexFunc(all, func(claim *resourceapi.ResourceClaim) bool {
		owned := metav1.IsControlledBy(claim, pod) || c.Mistakes.ComparesOwnerNames && len(claim.OwnerReferences) > 0 && claim.OwnerReferences[0].Name == pod.Name
		return claim.Annotations[resourceapi.ExtendedResourceClaimAnnotation] == "true" && owned
	})
	if err != nil || i < 0 {
		return false, err
	}
	pod.Status.ExtendedResourceClaimStatus = nil
	return true, errors.Join(c.endClaim(all[i]), c.update(pods, pod))
}

// extendedResources returns how much of each extended resource a pod requests.
// The largest init container counts if it needs more than the others together.
func extendedResources(pod *corev1.Pod) map[corev1.ResourceName]int64 {
	all := map[corev1.ResourceName]int64{}
	for _, container := range pod.Spec.Containers {
		for name := range container.Resources.Requests {
			if strings.Contains(string(name), "/") {
				all[name] += requested(container, name)
			}
		}
	}
	for _, container := range pod.Spec.InitContainers {
		for name := range container.Resources.Requests {
			if strings.Contains(string(name), "/") {
				all[name] = max(all[name], requested(container, name))
			}
		}
	}
	return all
}

func requested(container corev1.Container, name corev1.ResourceName) int64 {
	quantity := container.Resources.Requests[name]
	return quantity.Value()
}

// pluginUse returns how much of the extended resources of device plugins pods
// use on each node.
func pluginUse(all []*corev1.Pod) map[string]map[corev1.ResourceName]int64 {
	use := map[string]map[corev1.ResourceName]int64{}
	for _, pod := range all {
		if pod.Spec.NodeName == "" {
			continue
		}
		for name, total := range extendedResources(pod) {
			if byNode := use[pod.Spec.NodeName]; byNode == nil {
				use[pod.Spec.NodeName] = map[corev1.ResourceName]int64{}
			}
			use[pod.Spec.NodeName][name] += total
		}
	}
	return use
}

// isExtended reports whether a claim is for the extended resources of a pod.
func isExtended(pod *corev1.Pod, claim *resourceapi.ResourceClaim) bool {
	status := pod.Status.ExtendedResourceClaimStatus
	return status != nil && status.ResourceClaimName == claim.Name
}

// usesExtended reports whether a container uses a request of the claim for the
// extended resources of its pod.
func usesExtended(pod *corev1.Pod, container, request string) bool {
	return slices.ContainsFunc(pod.Status.ExtendedResourceClaimStatus.RequestMappings, func(m corev1.ContainerExtendedResourceRequest) bool {
		return m.ContainerName == container && m.RequestName == request
	})
}

// firstExtended returns the first request of the claim for the extended resources of a pod that
// is mapped to a container.
func firstExtended(pod *corev1.Pod, container string) string {
	for _, m := range pod.Status.ExtendedResourceClaimStatus.RequestMappings {
		if m.ContainerName == container {
			return m.RequestName
		}
	}
	return ""
}
