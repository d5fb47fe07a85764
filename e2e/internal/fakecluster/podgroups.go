// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulingbeta "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/allocation"
)

var podGroupsOf = schedulingbeta.SchemeGroupVersion.WithResource("podgroups")

// makeGroupClaims creates the claims of PodGroups that use ResourceClaimTemplates
// (KEP-5729), and names them in the status of the groups.
func (c *Cluster) makeGroupClaims() error {
	groups, err := shared[schedulingbeta.PodGroup](c, podGroupsOf, "PodGroup")
	if err != nil || c.Mistakes.IgnoresPodGroups {
		return err
	}
	var errs []error
	for _, group := range groups {
		generated := slices.ContainsFunc(group.Spec.ResourceClaims, func(use schedulingbeta.PodGroupResourceClaim) bool { return use.ResourceClaimTemplateName != nil })
		if generated && len(group.Status.ResourceClaimStatuses) == 0 && c.due("make claims of group", key(group)) {
			errs = append(errs, c.makeClaimsOf(group.DeepCopy()))
		}
	}
	return errors.Join(errs...)
}

func (c *Cluster) makeClaimsOf(group *schedulingbeta.PodGroup) error {
	for _, use := range group.Spec.ResourceClaims {
		if use.ResourceClaimTemplateName == nil || c.Mistakes.MakesFirstClaimOfGroups && len(group.Status.ResourceClaimStatuses) > 0 {
			continue
		}
		o, err := c.tracker.Get(templatesOf, group.Namespace, *use.ResourceClaimTemplateName)
		if err != nil {
			return nil //nolint:nilerr // The template may be created later.
		}
		from := o.(*resourceapi.ResourceClaimTemplate).Spec
		claim := &resourceapi.ResourceClaim{
			ObjectMeta: metav1.ObjectMeta{
				Labels: from.Labels,
				Name:   fmt.Sprintf("%s-%s-%s", group.Name, use.Name, group.UID), Namespace: group.Namespace, UID: types.UID(fmt.Sprintf("made-for-%s-%s", group.UID, use.Name)),
				OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(group, schedulingbeta.SchemeGroupVersion.WithKind("PodGroup"))},
				Annotations:     map[string]string{resourceapi.PodResourceClaimAnnotation: use.Name},
			},
			Spec: *from.Spec.DeepCopy(),
		}
		setDefaults(&claim.Spec.Devices)
		if change := c.Mistakes.MismakesGroupClaims; change != nil {
			change(claim)
		}
		if err := c.store(claims, claim); err != nil {
			return err
		}
		group.Status.ResourceClaimStatuses = append(group.Status.ResourceClaimStatuses, schedulingbeta.PodGroupResourceClaimStatus{Name: use.Name, ResourceClaimName: &claim.Name})
	}
	return c.update(podGroupsOf, group)
}

// groupOf returns the PodGroup of a pod, or nil.
func (c *Cluster) groupOf(pod *corev1.Pod) *schedulingbeta.PodGroup {
	if pod.Spec.SchedulingGroup == nil || c.Mistakes.IgnoresPodGroups {
		return nil
	}
	o, err := c.tracker.Get(podGroupsOf, pod.Namespace, ptr.Deref(pod.Spec.SchedulingGroup.PodGroupName, ""))
	if err != nil {
		return nil
	}
	return o.(*schedulingbeta.PodGroup)
}

// groupClaim returns the name of the claim of the pod's group that is meant by an
// entry of the pod, if it is. The name is empty until the claim is created.
func (c *Cluster) groupClaim(pod *corev1.Pod, entry *corev1.PodResourceClaim) (name string, ok bool) {
	group := c.groupOf(pod)
	if !c.isOfGroup(pod, group, entry) {
		return "", false
	}
	if entry.ResourceClaimName != nil {
		return *entry.ResourceClaimName, true
	}
	for _, status := range group.Status.ResourceClaimStatuses {
		if status.Name == entry.Name {
			return ptr.Deref(status.ResourceClaimName, ""), true
		}
	}
	return "", true
}

// waitsForGroup reports whether a claim of the pod's group that the pod uses has
// not been created yet.
func (c *Cluster) waitsForGroup(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.ResourceClaims, func(entry corev1.PodResourceClaim) bool {
		name, ok := c.groupClaim(pod, &entry)
		return ok && name == ""
	})
}

// isOfGroup reports whether an entry of a pod is for a claim of its group.
func (c *Cluster) isOfGroup(pod *corev1.Pod, group *schedulingbeta.PodGroup, entry *corev1.PodResourceClaim) bool {
	if group == nil {
		return false
	}
	if c.Mistakes.ComparesEntryNamesOnly {
		for _, use := range group.Spec.ResourceClaims {
			if use.Name == entry.Name {
				return true
			}
		}
		return false
	}
	consumer, err := resourceclaim.BindTo(pod, group, entry)
	return err == nil && consumer.UID == group.UID
}

// addConsumer reserves a claim for a pod, or for the group of the pod if it is a
// claim of the group.
func (c *Cluster) addConsumer(claim *resourceapi.ResourceClaim, pod *corev1.Pod) {
	group := c.groupOf(pod)
	for i := range pod.Spec.ResourceClaims {
		entry := &pod.Spec.ResourceClaims[i]
		name, _, err := resourceclaim.Name(pod, entry)
		forPods := c.Mistakes.ReservesForPods || c.Mistakes.ReservesNamedForPods && entry.ResourceClaimName != nil
		if err != nil || name == nil || *name != claim.Name || forPods || !c.isOfGroup(pod, group, entry) {
			continue
		}
		claim.Status.ReservedFor = append(claim.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{
			APIGroup: schedulingbeta.GroupName, Resource: "podgroups", Name: group.Name, UID: group.UID,
		})
		return
	}
	addUser(claim, pod)
}

// countGroups adds the PodGroups to the consumers that exist, by UID. Those of
// ending namespaces are removed. With a fault, groups do not count when their pods
// are gone.
func (c *Cluster) countGroups(ending map[string]*corev1.Namespace, all []*corev1.Pod, users map[string]int) error {
	groups, err := shared[schedulingbeta.PodGroup](c, podGroupsOf, "PodGroup")
	for _, group := range groups {
		switch {
		case ending[group.Namespace] != nil:
			err = errors.Join(err, c.remove(podGroupsOf, group))
		case !c.Mistakes.FreesClaimsOfGroups || !c.hadPods(group, all):
			users[string(group.UID)]++
		}
	}
	return err
}

// isOnNode reports whether a pod of a group is bound to a node.
func (c *Cluster) isOnNode(group *schedulingbeta.PodGroup) bool {
	all, err := c.sharedPods()
	return err != nil || slices.ContainsFunc(all, func(pod *corev1.Pod) bool { return isMember(pod, group) && pod.Spec.NodeName != "" })
}

// isMember reports whether a pod belongs to a group.
func isMember(pod *corev1.Pod, group *schedulingbeta.PodGroup) bool {
	return pod.Namespace == group.Namespace && pod.Spec.SchedulingGroup != nil && ptr.Deref(pod.Spec.SchedulingGroup.PodGroupName, "") == group.Name
}

// hadPods reports whether a group had pods, and has none any more.
func (c *Cluster) hadPods(group *schedulingbeta.PodGroup, all []*corev1.Pod) bool {
	if slices.ContainsFunc(all, func(pod *corev1.Pod) bool { return isMember(pod, group) }) {
		c.membersSeen[group.UID] = true
		return false
	}
	return c.membersSeen[group.UID]
}

// allocateForGang returns the best choice for a pod, or none if the pods of its group, which
// must be scheduled together, do not all fit.
func (c *Cluster) allocateForGang(a allocation.Allocator, s *Scene) (choice, error) {
	fits, err := c.fitsGang(a, s)
	if err != nil || !fits {
		return choice{}, err
	}
	return c.allocate(a, s)
}

// fitsGang reports whether enough pods of a pod's group exist, and whether there are devices
// for all that are not bound to a node yet, if they must be scheduled together. It looks for
// these devices on one node: no spec needs more.
func (c *Cluster) fitsGang(a allocation.Allocator, s *Scene) (bool, error) {
	group := c.groupOf(s.Pod)
	if group == nil || group.Spec.SchedulingPolicy.Gang == nil || c.Mistakes.SplitsGangs {
		return true, nil
	}
	all, podsErr := c.sharedPods()
	stored, claimsErr := c.claims()
	if err := errors.Join(podsErr, claimsErr); err != nil {
		return false, err
	}
	needed, members := slices.Clone(s.Claims), int32(0)
	for _, pod := range all {
		if !isMember(pod, group) {
			continue
		}
		members++
		for name := range resourceclaim.PodClaims(pod) {
			for _, claim := range stored {
				mayNeed := pod.UID != s.Pod.UID && pod.Spec.NodeName == "" && claim.Status.Allocation == nil
				if mayNeed && claim.Namespace == pod.Namespace && claim.Name == name {
					needed = append(needed, claim)
				}
			}
		}
	}
	if members < group.Spec.SchedulingPolicy.Gang.MinCount {
		return false, nil
	}
	for _, node := range s.Nodes {
		if found, err := c.allocateOn(a, node, needed); err != nil || found != nil {
			return found != nil, err
		}
	}
	return false, nil
}
