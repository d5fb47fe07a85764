// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clienttesting "k8s.io/client-go/testing"
)

// patchPod imitates the API server for patches of the status of a pod, which keep the
// generated claims if they omit them, and for dry runs of other patches, which must not change
// claims. A dry run changes nothing.
func (c *Cluster) patchPod(action clienttesting.Action) (bool, runtime.Object, error) {
	patch, ok := action.(clienttesting.PatchActionImpl)
	dryRun := ok && len(patch.PatchOptions.DryRun) > 0
	if !ok || patch.Subresource != "status" && !dryRun {
		return false, nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	before, err := c.tracker.Get(pods, patch.Namespace, patch.Name)
	if err != nil {
		return true, nil, err
	}
	handled, patched, err := clienttesting.ObjectReaction(c.tracker)(action)
	if err != nil {
		return handled, nil, err
	}
	old, pod := before.(*corev1.Pod), patched.(*corev1.Pod).DeepCopy()
	var invalid error
	if patch.Subresource != "status" {
		invalid = c.validatePodClaims(patch.Subresource, old, pod)
		if drop := c.Mistakes.DropsInUpdates; drop != nil {
			drop(pod)
		}
	} else if pod.Status.ResourceClaimStatuses == nil && !c.Mistakes.ForgetsPodClaims {
		pod.Status.ResourceClaimStatuses = old.Status.ResourceClaimStatuses
	}
	stored := pod
	if dryRun {
		stored = old
	}
	if err := c.update(pods, stored); err != nil || invalid != nil {
		return true, nil, cmp.Or(err, invalid)
	}
	return true, pod, nil
}

// validatePodClaims returns an error if a patch of a pod by an endpoint changes its claims or
// those of its containers.
func (c *Cluster) validatePodClaims(endpoint string, old, pod *corev1.Pod) error {
	changes := !equality.Semantic.DeepEqual(claimsOf(old), claimsOf(pod))
	accepted := !changes
	if c.Mistakes.MisjudgesPodClaims != nil {
		accepted = c.Mistakes.MisjudgesPodClaims(endpoint, changes)
	}
	if accepted {
		return nil
	}
	return apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("Pod").GroupKind(), pod.Name, field.ErrorList{
		field.Forbidden(field.NewPath("spec"), "only cpu and memory resources are mutable"),
	})
}

// claimsOf returns the entries of a pod for claims, and those that each of its containers
// uses.
func claimsOf(pod *corev1.Pod) []any {
	all := []any{pod.Spec.ResourceClaims}
	for _, container := range pod.Spec.Containers {
		all = append(all, container.Resources.Claims)
	}
	return all
}
