// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"cmp"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
)

// addExtended adds the claim for the extended resources that DeviceClasses provide (KEP-5004). The scheduler creates it
// when it has found a node, so that a pending pod usually has none: then it is what the scheduler would create.
func (c *Cluster) addExtended(p *Pod) {
	if !c.extended {
		return
	}
	if status := p.object.Status.ExtendedResourceClaimStatus; status != nil {
		if claim := c.claim(p.Namespace + "/" + status.ResourceClaimName); claim != nil {
			state := Claim{Claim: ClaimName(claim)}
			describe(&state, claim)
			p.claims, p.Claims = append(p.claims, claim), append(p.Claims, state)
			return
		}
	}
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: p.Name + "-extended-resources"}}
	amounts := extendedResources(p.object)
	for _, resource := range slices.Sorted(maps.Keys(amounts)) {
		class := c.classFor(resource)
		if class == "" || amounts[resource] == 0 {
			continue
		}
		claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, resourceapi.DeviceRequest{
			Name: string(resource),
			Exactly: &resourceapi.ExactDeviceRequest{
				DeviceClassName: class, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: amounts[resource],
			},
		})
	}
	if len(claim.Spec.Devices.Requests) > 0 {
		p.extended = claim
		p.Claims = append(p.Claims, Claim{Claim: ClaimName(claim), State: "not created: the scheduler creates it for extended resources"})
	}
}

// classFor returns the DeviceClass that provides an extended resource. If there are several, the newest does.
func (c *Cluster) classFor(resource corev1.ResourceName) string {
	var newest *resourceapi.DeviceClass
	for _, class := range c.Objects.Classes {
		named := class.Spec.ExtendedResourceName
		if corev1.ResourceName(resourceapi.ResourceDeviceClassPrefix+class.Name) != resource && (named == nil || corev1.ResourceName(*named) != resource) {
			continue
		}
		if newest == nil || cmp.Or(newest.CreationTimestamp.Compare(class.CreationTimestamp.Time), cmp.Compare(class.Name, newest.Name)) < 0 {
			newest = class
		}
	}
	if newest == nil {
		return ""
	}
	return newest.Name
}

// extendedResources returns how many of each resource the containers request at the same time.
func extendedResources(pod *corev1.Pod) map[corev1.ResourceName]int64 {
	amounts, resources := map[corev1.ResourceName]int64{}, sets.New[corev1.ResourceName]()
	for _, container := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		resources.Insert(slices.Collect(maps.Keys(container.Resources.Requests))...)
	}
	for name := range resources {
		var sidecars, most int64
		for i := range pod.Spec.InitContainers {
			container := &pod.Spec.InitContainers[i]
			own := container.Resources.Requests[name]
			most = max(most, sidecars+own.Value())
			if container.RestartPolicy != nil && *container.RestartPolicy == corev1.ContainerRestartPolicyAlways {
				sidecars += own.Value()
			}
		}
		sum := sidecars
		for i := range pod.Spec.Containers {
			own := pod.Spec.Containers[i].Resources.Requests[name]
			sum += own.Value()
		}
		amounts[name] = max(most, sum)
	}
	return amounts
}

// withoutPlugins returns the claim without the resources that a device plugin provides on the node: the scheduler then
// takes them from there. It returns nil if nothing is left.
func withoutPlugins(claim *resourceapi.ResourceClaim, node *corev1.Node) *resourceapi.ResourceClaim {
	claim = claim.DeepCopy()
	claim.Spec.Devices.Requests = slices.DeleteFunc(claim.Spec.Devices.Requests, func(r resourceapi.DeviceRequest) bool {
		provided := node.Status.Allocatable[corev1.ResourceName(r.Name)]
		return provided.Sign() > 0
	})
	if len(claim.Spec.Devices.Requests) == 0 {
		return nil
	}
	return claim
}
