// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// excluded states why the scheduler does not consider a node for a pod, apart from devices: its node selector and
// affinity, or a taint. It does not know about CPU, memory and volumes.
func excluded(pod *corev1.Pod, node *corev1.Node) string {
	matches, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node)
	if err != nil {
		return fmt.Sprintf("the node affinity of the pod is invalid: %s", err)
	}
	if !matches {
		return "the node selector or affinity of the pod excludes it"
	}
	noSchedule := func(t *corev1.Taint) bool {
		return t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute
	}
	if taint, found := corev1helpers.FindMatchingUntoleratedTaint(klog.Background(), node.Spec.Taints, pod.Spec.Tolerations, noSchedule, true); found {
		return fmt.Sprintf("the pod does not tolerate its taint %s", taint.ToString())
	}
	if node.Spec.Unschedulable && !tolerates(pod) {
		return "it is cordoned"
	}
	return ""
}

// tolerates reports whether a pod may go to cordoned nodes, as those of DaemonSets.
func tolerates(pod *corev1.Pod) bool {
	cordoned := &corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}
	return corev1helpers.TolerationsTolerateTaint(klog.Background(), pod.Spec.Tolerations, cordoned, true)
}
