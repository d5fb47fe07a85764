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
)

// inMemoryName is the name of a claim for extended resources that the API server does not know yet. The
// SharedDRAManager knows it by this name: it does not look such claims up. No ResourceClaim can have it.
const inMemoryName = "<extended-resources>"

// extended concerns extended resources that DeviceClasses stand behind (KEP-5004). Nodes that have such a resource
// from a device plugin serve it from there; for the others a claim of the pod's own takes its place.
type extended struct {
	// resources are the pod's extended resources, sorted, whether or not a DeviceClass stands behind them.
	resources []corev1.ResourceName
	// uid stands for the claim until the API server has given it one.
	uid types.UID
	// plans are what nodes need, by the resources that they serve as devices. Guarded by attempt.mu.
	plans map[string]*extendedPlan
	// claim is the one for the node that Reserve got; nil if that serves all resources from device plugins.
	claim *claim
	// mappings tell for it which container uses which request.
	mappings []corev1.ContainerExtendedResourceRequest
	// created is set as soon as the claim is in the API server.
	created bool
}

// extendedPlan is the claim that a node needs for extended resources.
type extendedPlan struct {
	claim    *resourceapi.ResourceClaim
	mappings []corev1.ContainerExtendedResourceRequest
}

// addExtended finds out whether the pod needs a claim for extended resources, and whether an earlier attempt left
// one behind.
func (p *Plugin) addExtended(a *attempt, pod *corev1.Pod) *fwk.Status {
	if !p.features.EnableDRAExtendedResource {
		return nil
	}
	resources := p.extendedResources(pod)
	if resources == nil {
		return nil
	}
	stale, err := p.indices.extendedClaim(pod)
	if err != nil {
		return fwk.AsStatus(err)
	}
	if stale != nil {
		a.stale = stale
		return unschedulable("resourceclaim %s of an earlier attempt has to be deleted first", klog.KObj(stale))
	}
	a.extended = &extended{resources: resources, uid: uuid.NewUUID(), plans: map[string]*extendedPlan{}}
	return nil
}

// extendedResources returns the extended resources that the pod requests, sorted, or nil if no DeviceClass stands
// behind any of them.
func (p *Plugin) extendedResources(pod *corev1.Pod) []corev1.ResourceName {
	var names []corev1.ResourceName
	backed := false
	for name, quantity := range resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{}) {
		if quantity.IsZero() || !schedutil.IsDRAExtendedResourceName(name) {
			continue
		}
		names = append(names, name)
		backed = backed || p.dra.DeviceClassResolver().GetDeviceClass(name) != nil
	}
	if !backed {
		return nil
	}
	slices.Sort(names)
	return names
}

// extendedOn returns what the node has to serve as devices, nil if nothing.
func (p *Plugin) extendedOn(a *attempt, pod *corev1.Pod, nodeInfo fwk.NodeInfo) (*extendedPlan, *fwk.Status) {
	if a.extended == nil {
		return nil, nil
	}
	var served []string
	for _, name := range a.extended.resources {
		allocatable, known := nodeInfo.GetAllocatable().GetScalarResources()[name]
		switch {
		case allocatable == 0 && p.dra.DeviceClassResolver().GetDeviceClass(name) != nil:
			served = append(served, string(name))
		case !known:
			return nil, unschedulable("node has no resource %s, and no device class stands behind it", name)
		}
	}
	if len(served) == 0 {
		return nil, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	key := strings.Join(served, ",")
	todo, ok := a.extended.plans[key]
	if !ok {
		requests, mappings, err := extendedRequests(pod, served, p.dra.DeviceClassResolver())
		if err != nil {
			return nil, unschedulable("%s", err)
		}
		todo = &extendedPlan{claim: extendedClaim(pod, a.extended.uid, requests), mappings: mappings}
		a.extended.plans[key] = todo
	}
	return todo, nil
}

// extendedClaim is the claim as it is created, except for its name and UID.
func extendedClaim(pod *corev1.Pod, uid types.UID, requests []resourceapi.DeviceRequest) *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{
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
}
