// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/component-helpers/resource"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/draconform/draconform/internal/fault"
)

// PreEnqueue keeps pods out of the queue until all of their claims exist.
func (p *Plugin) PreEnqueue(_ context.Context, pod *corev1.Pod) *fwk.Status {
	if _, err := p.podClaims(pod); err != nil {
		return unschedulable("%s", err)
	}
	return nil
}

// PreFilter collects the pod's claims and, if some of them have to be allocated, the state of the cluster. It skips
// pods without claims and without extended resources that a DeviceClass backs.
func (p *Plugin) PreFilter(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	if p.resizeDeferred(pod) {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	a := &attempt{plans: map[string]*plan{}}
	state.Write(stateKey, a)
	if err := p.rejectPodGroupClaims(pod); err != nil {
		return nil, unschedulable("%s", err)
	}
	objects, err := p.podClaims(pod)
	if err != nil {
		return nil, unschedulable("%s", err)
	}
	if status := p.addExtended(a, pod); status != nil {
		return nil, status
	}
	for _, object := range objects {
		c, status := p.newClaim(pod, object)
		if status != nil {
			return nil, status
		}
		a.claims = append(a.claims, c)
	}
	if a.empty() {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	klog.FromContext(ctx).V(5).Info("pod uses claims", "pod", klog.KObj(pod), "claims", klog.KObjSlice(objects), "extendedResources", a.extended != nil)
	return p.prepareSearch(a)
}

// prepareSearch reads the state of the cluster if there is something to allocate. It returns the nodes that may have
// devices for the pod.
func (p *Plugin) prepareSearch(a *attempt) (*fwk.PreFilterResult, *fwk.Status) {
	allocate := a.extended != nil || len(a.unallocated()) > 0
	if !allocate && !p.features.EnableDRANodeAllocatableResources {
		return nil, nil
	}
	list, err := p.dra.ResourceSlices().ListWithDeviceTaintRules()
	if err != nil {
		return nil, fwk.AsStatus(fmt.Errorf("list resource slices: %w", err))
	}
	published := p.shared.published.current(list)
	if p.features.EnableDRANodeAllocatableResources {
		a.nodeAllocatable = nodeAllocatableDevices(published.slices)
	}
	if !allocate {
		return nil, nil
	}
	allocated := p.shared.ledger.usage()
	var holders []*resourceapi.ResourceClaim
	if *p.args.SharingAffinity && published.affinity {
		a.affinity, a.locked = true, lockedDevices(published.affinityDevices, allocated)
		if holders, err = p.shared.holders(published.affinityDevices); err != nil {
			return nil, fwk.AsStatus(err)
		}
	}
	a.searcher = p.allocators.New(allocated, holders, p.dra.DeviceClasses(), published.slices)
	return a.nodeNames(published)
}

// PreFilterExtensions implements the framework's interface. It returns nil because evicting pods does not change the
// availability of devices.
func (p *Plugin) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// resizeDeferred reports whether the pod is already running and is only considered for an in-place resize. Its claims
// are allocated already.
func (p *Plugin) resizeDeferred(pod *corev1.Pod) bool {
	return p.features.EnableInPlacePodVerticalScalingSchedulerPreemption && resource.IsPodResizeDeferred(pod)
}

// newClaim checks everything about a claim that does not depend on a node.
func (p *Plugin) newClaim(pod *corev1.Pod, object *resourceapi.ResourceClaim) (*claim, *fwk.Status) {
	c := &claim{object: object}
	if c.allocated() {
		if fault.LimitsConsumers && len(object.Status.ReservedFor) >= 32 {
			return nil, unschedulable("resourceclaim %s is in use", klog.KObj(object))
		}
		if !resourceclaim.CanBeReserved(object) && !resourceclaim.IsReservedForPod(pod, object, false) {
			return nil, unschedulable("resourceclaim %s is in use", klog.KObj(object))
		}
		if selector := object.Status.Allocation.NodeSelector; selector != nil {
			nodes, err := nodeaffinity.NewNodeSelector(termsOf(selector))
			if err != nil {
				return nil, fwk.AsStatus(fmt.Errorf("node selector of the allocation of resourceclaim %s: %w", klog.KObj(object), err))
			}
			c.nodes = nodes
		}
		if p.bindingConditions() {
			c.bindingErr = p.bindingError(object)
		}
		return c, nil
	}
	if p.dra.ResourceClaims().GetPendingAllocation(object.UID) != nil {
		// The other pod writes the status of the claim. The event of that update requeues this pod.
		return nil, unschedulable("resourceclaim %s is being allocated for another pod", klog.KObj(object))
	}
	return c, p.checkRequests(object)
}

// checkRequests rejects requests of an unknown or disabled type, and requests whose DeviceClass does not exist.
func (p *Plugin) checkRequests(object *resourceapi.ResourceClaim) *fwk.Status {
	for i := range object.Spec.Devices.Requests {
		request := &object.Spec.Devices.Requests[i]
		switch {
		case request.Exactly != nil:
			if status := p.checkClass(request.Name, request.Exactly.DeviceClassName); status != nil {
				return status
			}
		case len(request.FirstAvailable) > 0:
			if !p.features.EnableDRAPrioritizedList {
				return unschedulable("resourceclaim %s, request %s: has subrequests, but the feature gate DRAPrioritizedList is disabled", klog.KObj(object), request.Name)
			}
			for _, sub := range request.FirstAvailable {
				if status := p.checkClass(resourceclaim.CreateSubRequestRef(request.Name, sub.Name), sub.DeviceClassName); status != nil {
					return status
				}
			}
		default:
			return unschedulable("resourceclaim %s, request %s: unknown type of request", klog.KObj(object), request.Name)
		}
	}
	return nil
}

func (p *Plugin) checkClass(request, class string) *fwk.Status {
	if class == "" {
		return fwk.AsStatus(fmt.Errorf("request %s: no device class, which is not supported", request))
	}
	_, err := p.dra.DeviceClasses().Get(class)
	if apierrors.IsNotFound(err) {
		return unschedulable("request %s: device class %s does not exist", request, class)
	}
	if err != nil {
		return fwk.AsStatus(fmt.Errorf("request %s: get device class %s: %w", request, class, err))
	}
	return nil
}
