// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite/env"
)

// ListUnscheduled returns those pods of the spec that the scheduler reports as
// unschedulable and that are the subject of a failure, and the claims of the
// spec. The failure of a wait has what [whyNotRunning] returns.
func ListUnscheduled(ctx context.Context, e *env.Env, failure string) ([]corev1.Pod, []*resourceapi.ResourceClaim, error) {
	if !strings.Contains(failure, string(corev1.PodScheduled)+": ") {
		return nil, nil, nil
	}
	listed, err := listPodsAndClaims(ctx, e)
	if err != nil {
		return nil, nil, err
	}
	var unscheduled []corev1.Pod
	for _, name := range slices.Sorted(maps.Keys(listed.pods)) {
		pod := listed.pods[name]
		scheduled := Condition(pod, corev1.PodScheduled)
		if IsUnschedulable(scheduled) && strings.Contains(failure, " "+name+" ") {
			unscheduled = append(unscheduled, *pod)
		}
	}
	return unscheduled, slices.Collect(maps.Values(listed.claims)), nil
}
