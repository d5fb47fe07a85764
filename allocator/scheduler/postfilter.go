// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/draconform/draconform/internal/fault"
)

// PostFilter removes one claim that keeps a pod from being scheduled: it deallocates a claim that no other pod uses,
// or deletes the claim for extended resources of an earlier attempt. The event of that change requeues the pod, so no
// pods need to be evicted. If nodes lack devices, the status explains why.
func (p *Plugin) PostFilter(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, _ fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	a, err := readAttempt(state)
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	if a == nil || p.resizeDeferred(pod) {
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	if a.stale != nil {
		if err := p.deleteClaim(ctx, a.stale); err != nil {
			return nil, fwk.AsStatus(err)
		}
		return nil, unschedulable("deletion of ResourceClaim completed")
	}
	a.mu.Lock()
	unusable := slices.Sorted(slices.Values(a.unusable.UnsortedList()))
	a.mu.Unlock()
	for _, i := range unusable {
		claim := a.claims[i].object
		if usedByOthers(claim, pod) && !fault.MovesUsedAllocations || fault.KeepsUnusedAllocations {
			continue
		}
		klog.FromContext(ctx).V(5).Info("deallocating claim", "pod", klog.KObj(pod), "claim", klog.KObj(claim))
		if err := p.deallocate(ctx, claim); err != nil {
			return nil, fwk.AsStatus(err)
		}
		return nil, unschedulable("deallocation of ResourceClaim completed")
	}
	if x := p.explain(ctx, a, pod); x != nil {
		p.shared.explanations.keep(x)
		return nil, fwk.NewStatus(fwk.Unschedulable, x.Summary)
	}
	if fault.StopsPreemption || fault.PreemptsForNewClaimsOnly && a.searcher == nil {
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable)
	}
	return nil, fwk.NewStatus(fwk.Unschedulable)
}

func usedByOthers(claim *resourceapi.ResourceClaim, pod *corev1.Pod) bool {
	return slices.ContainsFunc(claim.Status.ReservedFor, func(r resourceapi.ResourceClaimConsumerReference) bool {
		return r.UID != pod.UID
	})
}
