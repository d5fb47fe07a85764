// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"github.com/draconform/draconform/internal/fault"
)

// podClaims returns the claims of the pod's spec, in its order and without duplicates. It skips entries that need no
// claim. An error states why the pod has to wait: a claim does not exist yet, is being deleted, or belongs to another
// pod.
func (p *Plugin) podClaims(pod *corev1.Pod) ([]*resourceapi.ResourceClaim, error) {
	claims := make([]*resourceapi.ResourceClaim, 0, len(pod.Spec.ResourceClaims))
	for i := range pod.Spec.ResourceClaims {
		name, generated, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		if err != nil {
			return nil, err
		}
		if name == nil && fault.StopsAtUnneededClaims {
			break
		}
		if name == nil {
			continue
		}
		claim, err := p.dra.ResourceClaims().Get(pod.Namespace, *name)
		if err != nil {
			return nil, err
		}
		if claim.DeletionTimestamp != nil {
			return nil, fmt.Errorf("resourceclaim %q is being deleted", claim.Name)
		}
		if generated {
			if err := resourceclaim.IsForPod(pod, claim, p.features.EnableDRAWorkloadResourceClaims); err != nil {
				return nil, err
			}
		}
		if !uses(claims, claim) {
			claims = append(claims, claim)
		}
	}
	return claims, nil
}

// rejectPodGroupClaims returns an error if a claim of the pod belongs to its PodGroup. Such a claim is allocated and
// reserved once for the group, which the plugin does not implement.
func (p *Plugin) rejectPodGroupClaims(pod *corev1.Pod) error {
	group := pod.Spec.SchedulingGroup
	if !p.features.EnableDRAWorkloadResourceClaims || len(pod.Spec.ResourceClaims) == 0 || group == nil || group.PodGroupName == nil {
		return nil
	}
	podGroup, err := p.handle.SnapshotSharedLister().PodGroups().Get(pod.Namespace, *group.PodGroupName)
	if err != nil {
		return err
	}
	for i := range pod.Spec.ResourceClaims {
		consumer, err := resourceclaim.BindTo(pod, podGroup, &pod.Spec.ResourceClaims[i])
		if err != nil {
			return err
		}
		if consumer.UID != pod.UID {
			return fmt.Errorf("claim %q is a ResourceClaim of PodGroup %s, which %s does not support", pod.Spec.ResourceClaims[i].Name, podGroup.Name, Name)
		}
	}
	return nil
}
