// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/component-helpers/nodedeclaredfeatures/features/draoptionalnodeoperations"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/draconform/draconform/internal/fault"
)

// cannotAllocate is the reason in events and conditions for a node without enough devices.
const cannotAllocate = "cannot allocate all claims"

// Filter reports whether the node can use the pod's allocated claims and has devices for the others. Reserve
// picks the devices. Filter picks them where Score or the check for node-allocatable devices depends on the choice: for requests with
// alternatives, and with sharing affinities.
func (p *Plugin) Filter(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, nodeInfo fwk.NodeInfo) *fwk.Status {
	a, err := readAttempt(state)
	if err != nil {
		return fwk.AsStatus(err)
	}
	if a == nil || p.resizeDeferred(pod) {
		return nil
	}
	node := nodeInfo.Node()
	extended, status := p.extendedOn(a, pod, nodeInfo)
	if status != nil {
		return status
	}
	if status := a.checkAllocated(node); status != nil {
		return status
	}
	todo := &plan{node: node, extended: extended}
	for _, c := range a.unallocated() {
		todo.claims = append(todo.claims, c.object)
	}
	if extended != nil {
		todo.claims = append(todo.claims, extended.claim)
	}
	if len(todo.claims) == 0 {
		return nil
	}
	if status := p.search(ctx, a, todo); status != nil {
		return status
	}
	a.addPlan(todo)
	return nil
}

// checkAllocated looks for allocated claims that the node cannot use and records them for PostFilter.
func (a *attempt) checkAllocated(node *corev1.Node) *fwk.Status {
	var unusable []int
	var status *fwk.Status
	for i, c := range a.claims {
		if !c.allocated() || fault.IgnoresAllocatedBesideNew && len(a.unallocated()) > 0 {
			continue
		}
		if err := a.rejectNodeAllocatable(c.object.Status.Allocation); err != nil {
			return unschedulable("resourceclaim %s: %s", klog.KObj(c.object), err)
		}
		switch {
		case c.nodes != nil && !c.nodes.Match(node) && !fault.IgnoresNodeSelector:
			status = unschedulable("resourceclaim not available on the node")
		case needsOptionalOperations(c.object.Status.Allocation) && !optionalOperations(node):
			status = unschedulable("resourceclaim not available on the node, which does not declare the feature %s", draoptionalnodeoperations.DRAOptionalNodeOperationsFeatureGate)
		case c.bindingErr != nil:
			status = unschedulable("%s", c.bindingErr)
		default:
			continue
		}
		unusable = append(unusable, i)
	}
	if len(unusable) > 0 {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.unusable == nil {
			a.unusable = sets.New[int]()
		}
		a.unusable.Insert(unusable...)
	}
	return status
}

func needsOptionalOperations(allocation *resourceapi.AllocationResult) bool {
	return slices.ContainsFunc(allocation.Devices.Results, func(r resourceapi.DeviceRequestAllocationResult) bool {
		return len(r.SkipNodeOperations) > 0
	})
}

func optionalOperations(node *corev1.Node) bool {
	return slices.Contains(node.Status.DeclaredFeatures, draoptionalnodeoperations.DRAOptionalNodeOperationsFeatureGate)
}

// search sets the allocations of a plan if Score or the check for node-allocatable devices depends on them. Otherwise
// it determines only whether an allocation exists.
func (p *Plugin) search(ctx context.Context, a *attempt, todo *plan) *fwk.Status {
	searchCtx := ctx
	timeout := p.args.FilterTimeout.Duration
	if timeout > 0 {
		var cancel context.CancelFunc
		searchCtx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	var fits bool
	var err error
	start := time.Now()
	if a.nodeAllocatable.Len() > 0 || a.affinity || slices.ContainsFunc(todo.claims, hasAlternatives) {
		todo.allocations, err = a.searcher.Allocate(searchCtx, todo.node, todo.claims)
		fits = len(todo.allocations) == len(todo.claims)
	} else {
		fits, err = a.searcher.Fits(searchCtx, todo.node, todo.claims)
	}
	result := searchResult(ctx, searchCtx, fits, err)
	observeSearch(start, result)
	if err != nil {
		return searchFailed(ctx, result, err, timeout)
	}
	if !fits && !fault.LooksForDevicesLate {
		a.reject(todo)
		return unschedulable(cannotAllocate)
	}
	for i := range todo.allocations {
		if err := a.rejectNodeAllocatable(&todo.allocations[i]); err != nil {
			return unschedulable("resourceclaim %s: %s", klog.KObj(todo.claims[i]), err)
		}
	}
	return nil
}

// searchFailed distinguishes failures of the node from problems of the pod's claims. The latter are an error for
// the whole pod, which is then retried with backoff.
func searchFailed(ctx context.Context, result string, err error, timeout time.Duration) *fwk.Status {
	switch result {
	case resultSteps, resultNodeError:
		return unschedulable("%s", err)
	case resultStopped:
		return unschedulable("the scheduler does not need more nodes: %v", context.Cause(ctx))
	case resultTime:
		return unschedulable("search for devices stopped after %s", timeout)
	default:
		return fwk.AsStatus(err)
	}
}

func hasAlternatives(claim *resourceapi.ResourceClaim) bool {
	return slices.ContainsFunc(claim.Spec.Devices.Requests, func(r resourceapi.DeviceRequest) bool {
		return len(r.FirstAvailable) > 0
	})
}
