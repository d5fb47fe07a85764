// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// SignPod returns no signature for pods with devices. Devices that one pod gets on a node may be
// unavailable for the next.
func (p *Plugin) SignPod(_ context.Context, pod *corev1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	if len(pod.Spec.ResourceClaims) > 0 {
		return nil, fwk.NewStatus(fwk.Unschedulable, "pods with ResourceClaims are not signed")
	}
	if p.features.EnableDRAExtendedResource && p.requestsBacked(pod) {
		return nil, fwk.NewStatus(fwk.Unschedulable, "pods with extended resources of device classes are not signed")
	}
	return nil, nil
}
