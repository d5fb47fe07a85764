// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
)

// use is a pod on a node and a claim that is reserved for it.
type use struct{ pod, claim types.UID }

// podsOnNodes returns the pods that were on a node when the claims of a view were
// read: they were on it in the previous view and are in this one. A pod leaves
// its node only when it ends.
func (a *Auditor) podsOnNodes(v View) []*corev1.Pod {
	if a.last == nil {
		return nil
	}
	before := onNodes(*a.last)
	var pods []*corev1.Pod
	for i := range v.Pods {
		if p := &v.Pods[i]; onNode(p) && before[p.UID] {
			pods = append(pods, p)
		}
	}
	return pods
}

// onNodes reports for each pod of a view whether it is on a node.
func onNodes(v View) map[types.UID]bool {
	are := map[types.UID]bool{}
	for i := range v.Pods {
		are[v.Pods[i].UID] = onNode(&v.Pods[i])
	}
	return are
}

func onNode(pod *corev1.Pod) bool {
	return pod.Spec.NodeName != "" && pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed
}

// claimsOf returns the claims of a pod in a view, except those with devices of
// other drivers.
func (a *Auditor) claimsOf(v View, pod *corev1.Pod) []*resourceapi.ResourceClaim {
	var claims []*resourceapi.ResourceClaim
	for name := range resourceclaim.PodClaims(pod) {
		i := slices.IndexFunc(v.Claims, func(c resourceapi.ResourceClaim) bool { return c.Namespace == pod.Namespace && c.Name == name })
		if i >= 0 && a.isAudited(&v.Claims[i]) {
			claims = append(claims, &v.Claims[i])
		}
	}
	return claims
}

// currentUses returns the uses that are certain in a view, with their allocations.
func (a *Auditor) currentUses(v View) map[use]*resourceapi.AllocationResult {
	uses := map[use]*resourceapi.AllocationResult{}
	for _, pod := range a.podsOnNodes(v) {
		for _, claim := range a.claimsOf(v, pod) {
			if claim.Status.Allocation != nil && reservedFor(claim, pod) {
				uses[use{pod.UID, claim.UID}] = claim.Status.Allocation
			}
		}
	}
	return uses
}

// reservedFor reports whether a claim is reserved for the pod, or for its PodGroup
// (KEP-5729).
func reservedFor(claim *resourceapi.ResourceClaim, pod *corev1.Pod) bool {
	return resourceclaim.IsReservedForPod(pod, claim, true)
}

// checkPods returns what is wrong with the claims of pods on nodes.
func (a *Auditor) checkPods(v View) []finding {
	var found []finding
	for _, pod := range a.podsOnNodes(v) {
		for _, claim := range a.claimsOf(v, pod) {
			found = append(found, a.checkPodReserved(pod, claim)...)
			found = append(found, a.checkPodNode(pod, claim)...)
		}
		found = append(found, a.checkKept(v, pod)...)
		found = append(found, a.checkStaysReserved(v, pod)...)
	}
	return found
}

// checkPodReserved returns a claim that is not reserved for a running pod. Claims
// that are reserved for a consumer other than a pod are skipped, because the
// pod may belong to it.
func (a *Auditor) checkPodReserved(pod *corev1.Pod, claim *resourceapi.ResourceClaim) []finding {
	ran := slices.ContainsFunc(a.last.Pods, func(p corev1.Pod) bool { return p.UID == pod.UID && p.Status.Phase == corev1.PodRunning })
	grouped := slices.ContainsFunc(claim.Status.ReservedFor, func(r resourceapi.ResourceClaimConsumerReference) bool { return r.Resource != "pods" })
	if !ran || pod.Status.Phase != corev1.PodRunning || grouped || reservedFor(claim, pod) {
		return nil
	}
	return []finding{finding{
		rule: PodReserved, about: nameOf(pod),
		text: fmt.Sprintf("pod %s (UID %s) runs on node %s, but the claim is not reserved for it", nameOf(pod), pod.UID, pod.Spec.NodeName),
	}.of(claim)}
}

// checkPodNode returns a claim whose allocation does not cover the node of a pod
// that has begun to use it. Without the states of all nodes since the earliest
// allocation in question, the node may have had other labels.
func (a *Auditor) checkPodNode(pod *corev1.Pod, claim *resourceapi.ResourceClaim) []finding {
	if _, known := a.uses[use{pod.UID, claim.UID}]; known || a.podsAtStart[pod.UID] || claim.Status.Allocation == nil || !reservedFor(claim, pod) {
		return nil
	}
	if selector := claim.Status.Allocation.NodeSelector; selector != nil && !canMatch(selector) {
		return nil
	}
	seen := false
	for n, l := range a.observations {
		if n > 0 && !l.seamlessNodes {
			return nil
		}
		i := slices.IndexFunc(l.setting.nodes, func(n corev1.Node) bool { return n.Name == pod.Spec.NodeName })
		if i >= 0 && Covers(claim.Status.Allocation, &l.setting.nodes[i]) {
			return nil
		}
		seen = seen || i >= 0
	}
	if !seen {
		return nil
	}
	return []finding{finding{
		rule: PodOnNode, about: nameOf(pod),
		text: fmt.Sprintf("pod %s is on node %s, but the allocation is for nodes with %s", nameOf(pod), pod.Spec.NodeName, describe(claim.Status.Allocation.NodeSelector)),
	}.of(claim)}
}

// checkKept returns claims that a pod used and that were deleted or had another
// allocation at some time since the last view.
func (a *Auditor) checkKept(v View, pod *corev1.Pod) []finding {
	var found []finding
	for _, claim := range a.claimsOf(*a.last, pod) {
		before, used := a.uses[use{pod.UID, claim.UID}]
		if !used {
			continue
		}
		for _, state := range slices.Concat(v.Earlier, [][]*resourceapi.ResourceClaim{pointersTo(v.Claims)}) {
			if text := allocationChange(claim, before, state); text != "" {
				found = append(found, finding{
					rule: AllocationKept, about: nameOf(pod),
					text: fmt.Sprintf("%s while pod %s (UID %s) is on node %s and uses it", text, nameOf(pod), pod.UID, pod.Spec.NodeName),
				}.of(claim))
				break
			}
		}
	}
	return found
}

// checkStaysReserved returns claims that were reserved for a pod in the last view, and were
// not at some time since then, although the pod stayed on its node and the claim allocated.
// The use must have been certain: the pod may have got its node after the claims of the last
// view were read, by a second attempt, and the reservation for the first one ends rightly.
// Reservations for PodGroups are left out, because a group may end before its pods. The
// current state is left to [Auditor.checkPodReserved].
func (a *Auditor) checkStaysReserved(v View, pod *corev1.Pod) []finding {
	var found []finding
	for _, claim := range a.claimsOf(*a.last, pod) {
		isLost := func(state []*resourceapi.ResourceClaim) bool {
			now := inState(state, claim)
			return now != nil && now.Status.Allocation != nil && !reservedFor(now, pod)
		}
		_, used := a.uses[use{pod.UID, claim.UID}]
		if used && resourceclaim.IsReservedForPod(pod, claim, false) && slices.ContainsFunc(v.Earlier, isLost) {
			found = append(found, finding{
				rule: PodReserved, about: nameOf(pod),
				text: fmt.Sprintf("it was not reserved for pod %s (UID %s) any more while the pod was on node %s", nameOf(pod), pod.UID, pod.Spec.NodeName),
			}.of(claim))
		}
	}
	return found
}

// allocationChange describes how a claim's allocation changed. It returns an empty
// string if it did not.
func allocationChange(claim *resourceapi.ResourceClaim, allocation *resourceapi.AllocationResult, state []*resourceapi.ResourceClaim) string {
	now := inState(state, claim)
	switch {
	case now == nil:
		return "it was deleted"
	case now.Status.Allocation == nil:
		return "it was deallocated"
	case !equality.Semantic.DeepEqual(allocation, now.Status.Allocation):
		return fmt.Sprintf("its allocation changed to %v, from %v", Allocated(now), Allocated(claim))
	}
	return ""
}

// inState returns a claim as it was in a state of all claims, or nil if it did not exist.
func inState(state []*resourceapi.ResourceClaim, claim *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	i := slices.IndexFunc(state, func(c *resourceapi.ResourceClaim) bool { return c.UID == claim.UID })
	if i < 0 {
		return nil
	}
	return state[i]
}
