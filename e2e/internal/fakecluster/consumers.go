// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
)

// lacksClaim reports whether a claim that a pod names does not exist, or was not generated
// for the pod, although it has the name of such a claim.
func (c *Cluster) lacksClaim(pod *corev1.Pod) bool {
	for _, generated := range pod.Status.ResourceClaimStatuses {
		if generated.ResourceClaimName == nil && c.Mistakes.NeedsAllGenerated || c.isSubstitute(pod, generated.ResourceClaimName) {
			return true
		}
	}
	lacking, existing := 0, 0
	for name := range resourceclaim.PodClaims(pod) {
		if _, exists := c.uidOfClaim(types.NamespacedName{Namespace: pod.Namespace, Name: name}); exists {
			existing++
		} else {
			lacking++
		}
	}
	return lacking > 0 && (existing == 0 || !c.Mistakes.SkipsAbsent)
}

// isSubstitute reports whether a claim exists that was not generated for the pod.
func (c *Cluster) isSubstitute(pod *corev1.Pod, name *string) bool {
	if name == nil || c.Mistakes.AcceptsSubstitutes {
		return false
	}
	claim, err := c.claim(types.NamespacedName{Namespace: pod.Namespace, Name: *name})
	if c.Mistakes.SharesGenerated && err == nil && len(claim.OwnerReferences) > 0 {
		return false
	}
	return err == nil && resourceclaim.IsForPod(pod, claim, true) != nil
}

// isUsedUp reports whether a claim has as many consumers as it can have, and the
// pod is none of them.
func (c *Cluster) isUsedUp(claim *resourceapi.ResourceClaim, pod *corev1.Pod) bool {
	return len(claim.Status.ReservedFor) >= cmp.Or(c.Mistakes.MaxConsumers, resourceapi.ResourceClaimReservedForMaxSize) && (!isReserved(claim, pod) || c.Mistakes.ExcludesConsumers)
}

// isConsumer reports whether the scheduler takes a claim as reserved for a pod.
func (c *Cluster) isConsumer(claim *resourceapi.ResourceClaim, pod *corev1.Pod) bool {
	isNamesake := func(r resourceapi.ResourceClaimConsumerReference) bool { return r.Name == pod.Name }
	return isReserved(claim, pod) || c.Mistakes.RemembersReservations && c.scheduler.reserved[pod.UID] || c.Mistakes.ComparesConsumerNames && slices.ContainsFunc(claim.Status.ReservedFor, isNamesake)
}

// isFull reports whether the other pods on a node, except for some, leave a pod
// too few CPUs.
func (c *Cluster) isFull(pod *corev1.Pod, node *corev1.Node, except ...*corev1.Pod) bool {
	total, limited := node.Status.Allocatable[corev1.ResourceCPU]
	requested := cpusOf(pod)
	if !limited || requested.IsZero() {
		return false
	}
	others, err := c.sharedPods()
	for _, other := range others {
		if other.Spec.NodeName == node.Name && !slices.ContainsFunc(except, func(e *corev1.Pod) bool { return e.UID == other.UID }) {
			requested.Add(cpusOf(other))
		}
	}
	return err != nil || requested.Cmp(total) > 0
}

func cpusOf(pod *corev1.Pod) resource.Quantity {
	return pod.Spec.Containers[0].Resources.Requests.Cpu().DeepCopy()
}

// moveUnused deallocates one claim of an unschedulable pod that no other pod uses, and because
// of which a node does not fit the pod that would fit without all such claims. Like
// kube-scheduler, it does so only for claims that are not available on all nodes, and
// deallocates the next one in its next attempt.
func (c *Cluster) moveUnused(pod *corev1.Pod, own []*resourceapi.ResourceClaim) error {
	nodes, err := shared[corev1.Node](c, nodesOf, "Node")
	if err != nil || c.Mistakes.KeepsUnusable {
		return err
	}
	movable, rest := c.movable(pod, own)
	for _, claim := range movable {
		with := append(slices.Clone(rest), claim)
		if !slices.ContainsFunc(nodes, func(node *corev1.Node) bool { return c.isFeasible(pod, node, rest) && !c.isFeasible(pod, node, with) }) {
			continue
		}
		claim.Status = resourceapi.ResourceClaimStatus{}
		return c.update(claims, claim)
	}
	return nil
}

// movable returns the claims of a pod that the scheduler may deallocate, and the others.
func (c *Cluster) movable(pod *corev1.Pod, own []*resourceapi.ResourceClaim) (movable, rest []*resourceapi.ResourceClaim) {
	isUsed := func(claim *resourceapi.ResourceClaim) bool {
		return claim.Status.Allocation == nil || claim.Status.Allocation.NodeSelector == nil || c.usedByOthers(claim, pod) && !c.Mistakes.MovesUsed
	}
	for i, claim := range own {
		switch {
		case isUsed(claim) && c.Mistakes.StopsAtUsed:
			return movable, append(rest, own[i:]...)
		case isUsed(claim), c.Mistakes.KeepsOwn && isReserved(claim, pod), c.Mistakes.MovesOneClaim && len(movable) > 0:
			rest = append(rest, claim)
		default:
			movable = append(movable, claim)
		}
	}
	return movable, rest
}

// usedByOthers reports whether a claim is reserved for another pod, or for a group other
// than that of the pod, or of which a pod is on a node.
func (c *Cluster) usedByOthers(claim *resourceapi.ResourceClaim, pod *corev1.Pod) bool {
	group := c.groupOf(pod)
	isIdle := group != nil && !c.isOnNode(group)
	return slices.ContainsFunc(claim.Status.ReservedFor, func(r resourceapi.ResourceClaimConsumerReference) bool {
		isCounted := r.Resource == "pods" || !c.Mistakes.CountsPodsOnly
		return r.UID != pod.UID && (!isIdle || r.UID != group.UID) && isCounted
	})
}
