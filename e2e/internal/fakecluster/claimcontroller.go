// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulingbeta "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
)

// isOrphaned reports whether the pod that owns a claim is gone or has completed. users contains
// the UIDs of the remaining pods.
func isOrphaned(claim *resourceapi.ResourceClaim, users map[string]int) bool {
	if len(claim.OwnerReferences) == 0 {
		return false
	}
	owner := string(claim.OwnerReferences[0].UID)
	return users[owner]+users[ownedBy+owner] == 0
}

// ownedBy precedes the UIDs of pods whose claims stay, although the pods have completed.
const ownedBy = "owned by "

// isReserved reports whether a claim is reserved for a pod or its group.
func isReserved(claim *resourceapi.ResourceClaim, pod *corev1.Pod) bool {
	return resourceclaim.IsReservedForPod(pod, claim, true)
}

// addUser reserves a claim for a pod.
func addUser(claim *resourceapi.ResourceClaim, pod *corev1.Pod) {
	claim.Status.ReservedFor = append(claim.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: pod.Name, UID: pod.UID})
}

// reserve reserves the allocated claims of pods that are bound to a node
// without the scheduler, unless a policy rejects the update. Claims for extended
// resources are left to the scheduler, as the real controller leaves them.
func (c *Cluster) reserve() error {
	all, err := c.sharedPods()
	if err != nil {
		return err
	}
	for _, pod := range all {
		if pod.Spec.NodeName == "" || pod.Status.Phase != corev1.PodPending || c.Mistakes.ForgetsBound {
			continue
		}
		if c.Mistakes.ReservesForNewPods && c.boundSeen[pod.UID] {
			continue
		}
		c.boundSeen[pod.UID] = true
		for i, u := range c.usesOf(pod) {
			claim, err := c.claim(u.claim)
			if i > 0 && c.Mistakes.ReservesFirstClaim {
				break
			}
			if err != nil || claim.Status.Allocation == nil || isExtended(pod, claim) || isReserved(claim, pod) || c.deniedController(claim) != nil {
				continue
			}
			c.addConsumer(claim, pod)
			if err := c.update(claims, claim); err != nil {
				return err
			}
		}
	}
	return nil
}

// isGone reports whether a consumer of a claim does not exist any more. Nothing is known
// about consumers that are neither pods nor PodGroups.
func (c *Cluster) isGone(namespace string, r resourceapi.ResourceClaimConsumerReference, users map[string]int) bool {
	if !isKnown(r) && !c.Mistakes.RemovesUnknownConsumers || users[string(r.UID)] > 0 || c.Mistakes.HoldsForDeleted {
		return false
	}
	if c.Mistakes.TakesNamesakes {
		of := types.NamespacedName{Namespace: namespace, Name: r.Name}
		return users[of.String()] == 0 && c.dueAfter(3*time.Second, "release claims of "+string(r.UID), of)
	}
	return true
}

// isOverlooked reports whether a claim stays reserved for a pod that exists and has completed.
func (c *Cluster) isOverlooked(claim *resourceapi.ResourceClaim, r resourceapi.ResourceClaimConsumerReference) bool {
	all, err := c.sharedPods()
	i := slices.IndexFunc(all, func(pod *corev1.Pod) bool { return pod.UID == r.UID })
	if err != nil || i < 0 {
		return false
	}
	named := 0
	for _, entry := range all[i].Spec.ResourceClaims {
		switch name, _, err := resourceclaim.Name(all[i], &entry); {
		case err != nil:
		case name == nil && c.Mistakes.StopsAtUnneeded:
			return true
		case name != nil && *name == claim.Name:
			return named > 0 && c.Mistakes.ReleasesFirstClaim
		case name != nil:
			named++
		}
	}
	return false
}

// isKnown reports whether a consumer of a claim is of a kind that Kubernetes knows.
func isKnown(r resourceapi.ResourceClaimConsumerReference) bool {
	return r.APIGroup == "" && r.Resource == "pods" || r.APIGroup == schedulingbeta.GroupName && r.Resource == "podgroups"
}

// deallocate removes deleted pods and PodGroups from reservedFor and deallocates claims that
// no pod uses any more. users contains the UIDs of the remaining pods.
func (c *Cluster) deallocate(users map[string]int) error {
	all, err := c.sharedClaims()
	if err != nil {
		return err
	}
	for _, claim := range all {
		isUnknown := func(r resourceapi.ResourceClaimConsumerReference) bool { return !isKnown(r) }
		if claim.Status.Allocation == nil || c.Mistakes.StopsAtUnknownConsumers && slices.ContainsFunc(claim.Status.ReservedFor, isUnknown) {
			continue
		}
		left := slices.DeleteFunc(slices.Clone(claim.Status.ReservedFor), func(r resourceapi.ResourceClaimConsumerReference) bool {
			return c.isGone(claim.Namespace, r, users) && !c.isOverlooked(claim, r)
		})
		switch {
		case len(left) == len(claim.Status.ReservedFor), c.deniedRelease(claim) != nil,
			!c.hasObserved(c.Late.Controller, fmt.Sprintf("end of users of %v", claim.Status.ReservedFor), claim):
			continue
		}
		claim = claim.DeepCopy()
		claim.Status.ReservedFor = left
		if len(left) == 0 || c.Mistakes.ReleasesEarly {
			reported := claim.Status.Devices
			claim.Status = resourceapi.ResourceClaimStatus{}
			if c.Mistakes.KeepsStatus {
				claim.Status.Devices = reported
			}
		}
		if err := c.update(claims, claim); err != nil {
			return err
		}
	}
	return nil
}
