// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
)

// patchPod imitates the API server for patches of the status of a pod, which keep the
// generated claims if they omit them. A dry run changes nothing.
func (c *Cluster) patchPod(action clienttesting.Action) (bool, runtime.Object, error) {
	patch, ok := action.(clienttesting.PatchActionImpl)
	if !ok || patch.Subresource != "status" {
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
	if pod.Status.ResourceClaimStatuses == nil && !c.Mistakes.ForgetsPodClaims {
		pod.Status.ResourceClaimStatuses = old.Status.ResourceClaimStatuses
	}
	stored := pod
	if len(patch.PatchOptions.DryRun) > 0 {
		stored = old
	}
	return true, pod, c.update(pods, stored)
}
