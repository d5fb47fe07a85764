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
		if !waitsForClaim(pod) || !c.due("make claims of pod", key(pod)) || c.waitsForGroup(pod) {
			continue
		}
		if err := c.makeClaimsFor(pod.DeepCopy()); err != nil {
			return err
		}
	}
	return nil
}

// makeClaimsFor creates the claims that a pod lacks. When all of them exist, it names
// them in the status of the pod.
func (c *Cluster) makeClaimsFor(pod *corev1.Pod) error {
	statuses := slices.Clone(pod.Status.ResourceClaimStatuses)
	complete := true
	for _, use := range pod.Spec.ResourceClaims {
		if use.ResourceClaimTemplateName == nil || slices.ContainsFunc(statuses, func(s corev1.PodResourceClaimStatus) bool { return s.Name == use.Name }) {
			continue
		}
		name, err := c.makeClaim(pod, &use)
		switch {
		case err != nil:
			return err
		case name == "":
			complete = false
		default:
			statuses = append(statuses, corev1.PodResourceClaimStatus{Name: use.Name, ResourceClaimName: &name})
		}
	}
	if !complete {
		return nil
	}
	if c.Mistakes.StatesMissingOnly {
		statuses = statuses[len(pod.Status.ResourceClaimStatuses):]
	}
	pod.Status.ResourceClaimStatuses = statuses
	if change := c.Mistakes.MisstatesClaims; change != nil {
		change(pod.Status.ResourceClaimStatuses)
	}
	return c.update(pods, pod)
}

// makeClaim returns the name of the claim for an entry of a pod. It creates the claim
// unless it exists, which an earlier attempt may have created that lacked another
// template. The name is empty if there is no template for the claim, or no quota.
func (c *Cluster) makeClaim(pod *corev1.Pod, use *corev1.PodResourceClaim) (string, error) {
	if name, ok := c.groupClaim(pod, use); ok {
		return name, nil
	}
	existing, err := c.sharedClaims()
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(existing, func(claim *resourceapi.ResourceClaim) bool {
		owner := metav1.GetControllerOf(claim)
		isFormer := c.Mistakes.TakesFormerClaims && claim.Namespace == pod.Namespace && owner != nil && owner.Name == pod.Name
		return (isFormer || metav1.IsControlledBy(claim, pod)) && claim.Annotations[resourceapi.PodResourceClaimAnnotation] == use.Name
	})
	if i >= 0 && !c.Mistakes.MakesClaimsAgain {
		return existing[i].Name, nil
	}
	o, err := c.tracker.Get(templatesOf, pod.Namespace, *use.ResourceClaimTemplateName)
	if err != nil {
		c.lackedTemplate[pod.UID] = true
		return "", nil //nolint:nilerr // The template may be created later.
	}
	if c.Mistakes.GivesUpOnTemplates && c.lackedTemplate[pod.UID] || c.Mistakes.ShortensNoNames && len(pod.Name)+len(use.Name) > maxNames {
		return "", nil
	}
	c.uids++
	claim := claimFrom(o.(*resourceapi.ResourceClaimTemplate), pod, use.Name, c.uids)
	if change := c.Mistakes.MismakesClaims; change != nil {
		change(pod, claim)
	}
	if change := c.Mistakes.MisgeneratesClaims; change != nil {
		change(&claim.Spec.Devices)
	}
	setDefaults(&claim.Spec.Devices)
	if c.Mistakes.GivesUpOnQuotas && c.lackedQuota[pod.UID] {
		return "", nil
	}
	if err := c.charge(claim, false); err != nil {
		c.lackedQuota[pod.UID] = true
		return "", nil //nolint:nilerr // The quota may allow the claim later.
	}
	c.counters.madeClaims++
	return claim.Name, c.store(claims, claim)
}

// maxNames is the length to which the names of a pod and of its entry are shortened,
// together, in the name of a claim.
const maxNames = 56

// claimFrom returns a claim from a template for a pod. number makes its name unique.
func claimFrom(template *resourceapi.ResourceClaimTemplate, pod *corev1.Pod, use string, number int) *resourceapi.ResourceClaim {
	of, entry := pod.Name, use
	if len(of)+len(entry) > maxNames {
		of, entry = of[:min(len(of), maxNames/2)], entry[:min(len(entry), maxNames/2)]
	}
	claim := &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{
			Labels: template.Spec.Labels, Annotations: maps.Clone(template.Spec.Annotations),
			Name: fmt.Sprintf("%s-%s-%d", of, entry, number), Namespace: pod.Namespace, UID: types.UID(fmt.Sprintf("uid-%d", number)),
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
