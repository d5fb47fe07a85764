// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/draconform/draconform/internal/fault"
)

// Reserve picks devices on the node and registers them with the SharedDRAManager, so that they count as allocated
// for the next pod before PreBind has written them.
func (p *Plugin) Reserve(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, nodeName string) *fwk.Status {
	a, err := storedAttempt(state)
	if err != nil {
		return fwk.AsStatus(err)
	}
	if a == nil {
		return nil
	}
	if status := p.rejectLateClass(a, nodeName); status != nil || a.empty() {
		return status
	}
	claims := a.unallocated()
	todo := a.planFor(nodeName)
	if todo == nil {
		if len(claims) > 0 {
			return fwk.AsStatus(fmt.Errorf("node %s was not filtered for pod %s", nodeName, klog.KObj(pod)))
		}
		return nil
	}
	if len(todo.allocations) == 0 {
		if status := p.allocate(ctx, a, todo); status != nil {
			return status
		}
	}
	if todo.extended != nil {
		a.extended.claim = &claim{object: todo.extended.claim}
		a.extended.mappings = todo.extended.mappings
		claims = append(claims, a.extended.claim)
	}
	for i, c := range claims {
		c.chosen = &todo.allocations[i]
		if err := p.markPending(c); err != nil {
			return fwk.AsStatus(err)
		}
		klog.FromContext(ctx).V(5).Info("reserved devices", "pod", klog.KObj(pod), "node", nodeName, "claim", klog.KObj(c.object), "allocation", klog.Format(c.chosen))
	}
	return nil
}

// allocate picks devices for a node that passed Filter. The searcher uses the state of the same attempt, so an
// allocation still exists.
func (p *Plugin) allocate(ctx context.Context, a *attempt, todo *plan) *fwk.Status {
	var err error
	start := time.Now()
	todo.allocations, err = a.searcher.Allocate(ctx, todo.node, todo.claims)
	fits := len(todo.allocations) == len(todo.claims)
	result := searchResult(ctx, ctx, fits, err)
	observeSearch(start, result)
	if err != nil {
		return searchFailed(ctx, result, err, 0)
	}
	if !fits {
		return unschedulable(cannotAllocate)
	}
	return nil
}

// markPending marks a chosen allocation as pending in the SharedDRAManager and in the plugin.
func (p *Plugin) markPending(c *claim) error {
	object := c.object.DeepCopy()
	if !slices.Contains(object.Finalizers, resourceapi.Finalizer) {
		object.Finalizers = append(object.Finalizers, resourceapi.Finalizer)
	}
	object.Status.Allocation = c.chosen
	p.shared.inFlight.add(object)
	if err := p.dra.ResourceClaims().SignalClaimPendingAllocation(object.UID, object); err != nil {
		p.shared.inFlight.remove(object.UID, nil)
		return fmt.Errorf("mark the allocation of resourceclaim %s as pending: %w", klog.KObj(object), err)
	}
	c.inFlight = object.UID
	return nil
}

// clearPending ends the pending state of an allocation because the claim was stored with it, or because it was
// abandoned (stored is nil).
func (p *Plugin) clearPending(c *claim, stored *resourceapi.ResourceClaim) {
	if c.inFlight == "" {
		return
	}
	p.dra.ResourceClaims().MaybeRemoveClaimPendingAllocation(c.inFlight, false)
	p.shared.inFlight.remove(c.inFlight, stored)
	c.inFlight = ""
}

// Unreserve releases what Reserve and PreBind reserved. Allocations that PreBind has written stay: the next
// attempt uses them, or PostFilter removes them.
func (p *Plugin) Unreserve(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, _ string) {
	logger := klog.FromContext(ctx)
	a, err := readAttempt(state)
	if err != nil || a == nil {
		return
	}
	for i, c := range a.claims {
		if fault.KeepsLaterDevices && i > 0 {
			break
		}
		p.clearPending(c, nil)
		if !c.allocated() || !resourceclaim.IsReservedForPod(pod, c.object, false) || fault.KeepsReservations {
			continue
		}
		if err := p.removeConsumer(ctx, c.object, pod.UID); err != nil {
			// The next attempt finds the pod in reservedFor and continues from there.
			logger.Error(err, "remove the pod from the consumers of its claim", "pod", klog.KObj(pod), "claim", klog.KObj(c.object))
			if fault.StopsUnreserving {
				return
			}
		}
	}
	if a.extended == nil || a.extended.claim == nil || fault.KeepsExtendedDevices && !a.extended.created {
		return
	}
	if a.extended.created && !fault.KeepsExtendedClaims {
		if err := p.deleteClaim(ctx, a.extended.claim.object); err != nil {
			// The next attempt finds the claim and has it deleted first.
			logger.Error(err, "delete the claim for extended resources", "pod", klog.KObj(pod), "claim", klog.KObj(a.extended.claim.object))
		}
	}
	p.clearPending(a.extended.claim, nil)
}

// removeConsumer removes a pod from status.reservedFor by a patch, which does not require the current version of
// the claim.
func (p *Plugin) removeConsumer(ctx context.Context, claim *resourceapi.ResourceClaim, consumer types.UID) error {
	patch := fmt.Sprintf(`{"metadata": {"uid": %q}, "status": {"reservedFor": [{"$patch": "delete", "uid": %q}]}}`, claim.UID, consumer)
	return p.patchClaimStatus(ctx, claim, []byte(patch))
}
