// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/draconform/draconform/internal/fault"
)

// What only faults rely on.

// reservedBefore are claims that PreBind has reserved for a pod, as UIDs of both.
var reservedBefore sync.Map

// isRemembered reports whether a faulty PreBind takes an allocated claim as reserved, because an earlier attempt has
// reserved it for the pod.
func isRemembered(pod *corev1.Pod, claim *resourceapi.ResourceClaim) bool {
	if !fault.RemembersReservations {
		return false
	}
	// The first attempt may be the one that allocates the claim.
	_, before := reservedBefore.LoadOrStore(pod.UID+"/"+claim.UID, true)
	return before && claim.Status.Allocation != nil
}

// afterSliceChange returns nil: changes of slices may concern any pod. If faulty, it returns a hint that only those
// with claims in their spec are retried.
func afterSliceChange() fwk.QueueingHintFn {
	if !fault.ForgetsExtendedForSlices {
		return nil
	}
	return func(_ klog.Logger, pod *corev1.Pod, _, _ any) (fwk.QueueingHint, error) {
		if len(pod.Spec.ResourceClaims) == 0 {
			return fwk.QueueSkip, nil
		}
		return fwk.Queue, nil
	}
}

// withoutFailures returns a claim, or if faulty and if it is not the first of its pod, a copy whose devices have no
// binding failure conditions.
func withoutFailures(number int, claim *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	if !fault.IgnoresFailuresOfLaterClaims || number == 0 || claim.Status.Allocation == nil {
		return claim
	}
	claim = claim.DeepCopy()
	for i := range claim.Status.Allocation.Devices.Results {
		claim.Status.Allocation.Devices.Results[i].BindingFailureConditions = nil
	}
	return claim
}

// termsOf returns the terms of the node selector of an allocation that count: all, or if faulty the first.
func termsOf(selector *corev1.NodeSelector) *corev1.NodeSelector {
	if fault.ReadsFirstTermOnly && len(selector.NodeSelectorTerms) > 1 {
		return &corev1.NodeSelector{NodeSelectorTerms: selector.NodeSelectorTerms[:1]}
	}
	return selector
}

// keepsInFlight reports whether a faulty Unreserve leaves the allocation of a claim in flight, because it has shares of
// devices.
func keepsInFlight(claim *resourceapi.ResourceClaim) bool {
	if !fault.KeepsSharesOfUnbound || claim.Status.Allocation == nil {
		return false
	}
	for _, result := range claim.Status.Allocation.Devices.Results {
		if result.ShareID != nil {
			return true
		}
	}
	return false
}
