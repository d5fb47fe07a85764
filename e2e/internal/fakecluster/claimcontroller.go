// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/utils/ptr"
)

var templatesOf = schema.GroupVersionResource{Group: "resource.k8s.io", Version: "v1", Resource: "resourceclaimtemplates"}

// makeClaims creates the claims of pods that use ResourceClaimTemplates. It
// skips templates that do not exist.
func (c *Cluster) makeClaims() error {
	all, err := c.sharedPods()
	if err != nil || c.Mistakes.MakesNoClaims {
		return err
	}
	for _, pod := range all {
		if !waitsForClaim(pod) || !c.due("make claims of pod", key(pod)) {
			continue
		}
		if c.waitsForGroup(pod) {
			continue
		}
		pod = pod.DeepCopy()
		for _, use := range pod.Spec.ResourceClaims {
			if name, ok := c.groupClaim(pod, &use); ok && use.ResourceClaimTemplateName != nil {
				pod.Status.ResourceClaimStatuses = append(pod.Status.ResourceClaimStatuses, corev1.PodResourceClaimStatus{Name: use.Name, ResourceClaimName: &name})
				continue
			}
			o, err := c.tracker.Get(templatesOf, pod.Namespace, ptr.Deref(use.ResourceClaimTemplateName, ""))
			if err != nil {
				c.lackedTemplate[pod.UID] = true
				continue // the template may be created later
			}
			if c.Mistakes.GivesUpOnTemplates && c.lackedTemplate[pod.UID] {
				continue
			}
			claim := claimFrom(o.(*resourceapi.ResourceClaimTemplate), pod, use.Name)
			if change := c.Mistakes.MismakesClaims; change != nil {
				change(pod, claim)
			}
			if change := c.Mistakes.MisgeneratesClaims; change != nil {
				change(&claim.Spec.Devices)
			}
			setDefaults(&claim.Spec.Devices)
			if err := c.store(claims, claim); err != nil {
				return err
			}
			c.counters.madeClaims++
			pod.Status.ResourceClaimStatuses = append(pod.Status.ResourceClaimStatuses, corev1.PodResourceClaimStatus{Name: use.Name, ResourceClaimName: &claim.Name})
		}
		if change := c.Mistakes.MisstatesClaims; change != nil {
			change(pod.Status.ResourceClaimStatuses)
		}
		if err := c.update(pods, pod); err != nil {
			return err
		}
	}
	return nil
}

// claimFrom returns a claim from a template for a pod.
func claimFrom(template *resourceapi.ResourceClaimTemplate, pod *corev1.Pod, use string) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{
			Labels: template.Spec.Labels, Annotations: maps.Clone(template.Spec.Annotations),
			Name: fmt.Sprintf("%s-%s-%s", pod.Name, use, pod.UID), Namespace: pod.Namespace, UID: types.UID(fmt.Sprintf("made-for-%s-%s", pod.UID, use)),
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: ptr.To(true)}},
		},
		Spec: *template.Spec.Spec.DeepCopy(),
	}
	metav1.SetMetaDataAnnotation(&claim.ObjectMeta, resourceapi.PodResourceClaimAnnotation, use)
	return claim
}

// changeClaims changes claims to what the current templates say, if that is a
// fault of the cluster.
func (c *Cluster) changeClaims() error {
	if !c.Mistakes.UpdatesClaims {
		return nil
	}
	all, err := c.pods()
	if err != nil {
		return err
	}
	for _, pod := range all {
		for i, status := range pod.Status.ResourceClaimStatuses {
			o, err := c.tracker.Get(templatesOf, pod.Namespace, ptr.Deref(pod.Spec.ResourceClaims[i].ResourceClaimTemplateName, ""))
			if err != nil {
				continue
			}
			claim, err := c.claim(types.NamespacedName{Namespace: pod.Namespace, Name: *status.ResourceClaimName})
			if err != nil {
				continue
			}
			claim.Spec = o.(*resourceapi.ResourceClaimTemplate).Spec.Spec
			setDefaults(&claim.Spec.Devices)
			if err := c.update(claims, claim); err != nil {
				return err
			}
		}
	}
	return nil
}

// waitsForClaim reports whether a claim of a pod has not been created from its
// template yet.
func waitsForClaim(pod *corev1.Pod) bool {
	made := len(pod.Status.ResourceClaimStatuses)
	for _, use := range pod.Spec.ResourceClaims {
		if use.ResourceClaimName == nil {
			made--
		}
	}
	return made < 0
}

// isOrphaned reports whether the pod that owns a claim is gone. users contains
// the UIDs of the remaining pods.
func isOrphaned(claim *resourceapi.ResourceClaim, users map[string]int) bool {
	return len(claim.OwnerReferences) > 0 && users[string(claim.OwnerReferences[0].UID)] == 0
}

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
		for _, u := range c.usesOf(pod) {
			claim, err := c.claim(u.claim)
			if err != nil || claim.Status.Allocation == nil || isExtended(pod, claim) || isReserved(claim, pod) || c.deniedByPolicy(claim) != nil {
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

// deallocate removes deleted pods and PodGroups from reservedFor and deallocates claims that
// no pod uses any more. users contains the UIDs of the remaining pods.
func (c *Cluster) deallocate(users map[string]int) error {
	all, err := c.sharedClaims()
	if err != nil {
		return err
	}
	for _, claim := range all {
		if claim.Status.Allocation == nil {
			continue
		}
		left := slices.DeleteFunc(slices.Clone(claim.Status.ReservedFor), func(r resourceapi.ResourceClaimConsumerReference) bool {
			return users[string(r.UID)] == 0 && (r.Resource == "pods" || r.Resource == "podgroups")
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
