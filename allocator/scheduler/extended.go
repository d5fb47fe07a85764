// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	resourcehelper "k8s.io/component-helpers/resource"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	schedutil "k8s.io/kubernetes/pkg/scheduler/util"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/fault"
)

// inMemoryName is the name of a claim for extended resources that does not exist in the API server yet. The
// SharedDRAManager recognizes such claims by this name and does not look them up. No ResourceClaim can have this
// name.
const inMemoryName = "<extended-resources>"

// extended is the state for extended resources that are backed by DeviceClasses (KEP-5004). On nodes whose
// device plugin provides such a resource, the plugin allocates it. On the other nodes, a claim of the pod provides it.
type extended struct {
	// resources are the pod's extended resources, sorted, whether or not a DeviceClass backs them.
	resources []corev1.ResourceName
	// uid identifies the claim until the API server has assigned a UID.
	uid types.UID
	// plans are the claims that nodes need, by the resources that they provide through DRA. Guarded by attempt.mu.
	plans map[string]*extendedPlan
	// claim is the claim for the node that was passed to Reserve. It is nil if device plugins provide all
	// resources there.
	claim *claim
	// mappings are the container-to-request mappings of claim.
	mappings []corev1.ContainerExtendedResourceRequest
	// created is set as soon as the claim exists in the API server.
	created bool
}

// extendedPlan is the claim that a node needs for extended resources.
type extendedPlan struct {
	claim    *resourceapi.ResourceClaim
	mappings []corev1.ContainerExtendedResourceRequest
}

// addExtended determines whether the pod needs a claim for extended resources, and whether an earlier attempt left
// one.
func (p *Plugin) addExtended(a *attempt, pod *corev1.Pod) *fwk.Status {
	if !p.features.EnableDRAExtendedResource {
		return nil
	}
	resources := extendedNames(pod)
	if !slices.ContainsFunc(resources, p.backed) {
		a.unbacked = resources
		return nil
	}
	stale, err := p.indices.extendedClaim(pod)
	if err != nil {
		return fwk.AsStatus(err)
	}
	if stale != nil && !fault.IgnoresEarlierExtendedClaims {
		a.stale = stale
		return unschedulable("resourceclaim %s of an earlier attempt has to be deleted first", klog.KObj(stale))
	}
	a.extended = &extended{resources: resources, uid: uuid.NewUUID(), plans: map[string]*extendedPlan{}}
	return nil
}

// extendedNames returns the extended resources that the pod requests and a DeviceClass may back, sorted.
func extendedNames(pod *corev1.Pod) []corev1.ResourceName {
	var names []corev1.ResourceName
	for name, quantity := range resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{}) {
		if quantity.IsZero() || !schedutil.IsDRAExtendedResourceName(name) {
			continue
		}
		if fault.IgnoresImplicitNames && strings.HasPrefix(string(name), resourceapi.ResourceDeviceClassPrefix) {
			continue
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// requestsBacked reports whether a DeviceClass backs one of the extended resources that the pod requests.
func (p *Plugin) requestsBacked(pod *corev1.Pod) bool {
	return slices.ContainsFunc(extendedNames(pod), p.backed)
}

// backed reports whether a DeviceClass backs an extended resource.
func (p *Plugin) backed(name corev1.ResourceName) bool {
	return p.dra.DeviceClassResolver().GetDeviceClass(name) != nil
}

// rejectLateClass rejects a node for a pod whose extended resource a DeviceClass backs since PreFilter, when none did.
// NodeResourcesFit leaves such a resource to this plugin as soon as there is the class, so that the pod would be bound
// without what it requests.
func (p *Plugin) rejectLateClass(a *attempt, nodeName string) *fwk.Status {
	if !slices.ContainsFunc(a.unbacked, p.backed) {
		return nil
	}
	node, err := p.handle.SnapshotSharedLister().NodeInfos().Get(nodeName)
	if err != nil {
		return fwk.AsStatus(fmt.Errorf("get node %s: %w", nodeName, err))
	}
	for _, name := range a.unbacked {
		if p.backed(name) && node.GetAllocatable().GetScalarResources()[name] == 0 {
			return unschedulable("a device class provides resource %s since this attempt began", name)
		}
	}
	return nil
}

// extendedOn returns the claim for what the node has to provide through DRA, or nil if there is nothing.
func (p *Plugin) extendedOn(a *attempt, pod *corev1.Pod, nodeInfo fwk.NodeInfo) (*extendedPlan, *fwk.Status) {
	if a.extended == nil {
		return nil, nil
	}
	var provided []string
	for _, name := range a.extended.resources {
		allocatable, known := nodeInfo.GetAllocatable().GetScalarResources()[name]
		switch {
		case (allocatable == 0 && !(fault.CountsEmptyPlugins && known) || fault.IgnoresDevicePlugins) && p.backed(name):
			provided = append(provided, string(name))
		case !known:
			return nil, unschedulable("node has no resource %s, and no device class provides it", name)
		}
	}
	if len(provided) == 0 {
		return nil, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	key := strings.Join(provided, ",")
	todo, ok := a.extended.plans[key]
	if !ok {
		requests, mappings, err := extendedRequests(pod, provided, p.dra.DeviceClassResolver())
		if err != nil {
			return nil, unschedulable("%s", err)
		}
		todo = &extendedPlan{claim: extendedClaim(pod, a.extended.uid, requests), mappings: mappings}
		a.extended.plans[key] = todo
	}
	return todo, nil
}

// extendedClaim returns the claim as it is created, except for its name and UID.
func extendedClaim(pod *corev1.Pod, uid types.UID, requests []resourceapi.DeviceRequest) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:    pod.Namespace,
			Name:         inMemoryName,
			UID:          uid,
			GenerateName: fmt.Sprintf("%s-extended-resources-", pod.Name),
			Annotations:  map[string]string{resourceapi.ExtendedResourceClaimAnnotation: "true"},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "v1",
				Kind:       "Pod",
				Name:       pod.Name,
				UID:        pod.UID,
				Controller: ptr.To(true),
			}},
		},
		Spec: resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Requests: requests}},
	}
	if fault.MakesUnownedClaims {
		claim.OwnerReferences = nil
	}
	if fault.MakesUnmarkedClaims {
		claim.Annotations = nil
	}
	return claim
}
