// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package guest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// These are parts of the reasons of conditions and events about pods that were evicted because of
// taints of their devices (KEP-5055), for which the driver may be responsible, and for pods with
// a higher priority.
const (
	byDeviceTaint = "DeviceTaint"
	byPreemption  = "Preempt"
)

// endedByKubelet are reasons for which a kubelet ends or does not start a pod: its node lacks
// something else than devices, or is shut down.
var endedByKubelet = []string{"Evicted", "NodeAffinity", "NodeShutdown", "OutOfcpu", "OutOfmemory", "OutOfpods", "OutOfephemeral-storage", "Preempting", "Shutdown", "Terminated"}

// Disrupted returns what others have done to the pods of a spec: they were evicted for pods with
// a higher priority, by a drain or an autoscaler, or because their node lacked something, or the
// node is gone. It is empty if nothing has happened to them, or only what specs judge. Nothing
// that a driver does, and no kubelet that is right, deletes a pod, except for taints of devices.
func (*Guest) Disrupted(ctx context.Context, e *env.Env) string {
	for _, name := range slices.SortedFunc(maps.Keys(e.Pods), func(a, b types.NamespacedName) int { return cmp.Compare(a.String(), b.String()) }) {
		if why := disruption(ctx, e, name); why != "" && !isJudged(e, why) {
			return fmt.Sprintf("pod %s %s", name.Name, why)
		}
	}
	return ""
}

// isJudged reports whether specs judge who evicted a pod for such a reason. Only pods of the
// spec run on its simulated nodes, so that none of others is preferred to them there.
func isJudged(e *env.Env, why string) bool {
	return strings.Contains(why, byDeviceTaint) || e.PlacePod != nil && strings.Contains(why, byPreemption)
}

// disruption returns what others have done to a pod.
func disruption(ctx context.Context, e *env.Env, name types.NamespacedName) string {
	pod, err := e.Client.CoreV1().Pods(name.Namespace).Get(ctx, name.Name, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return ""
	}
	exists := err == nil && pod.UID == e.Pods[name]
	if exists {
		if c := pods.Condition(pod, corev1.DisruptionTarget); c != nil {
			return fmt.Sprintf("was disrupted: %s: %s", c.Reason, c.Message)
		}
	}
	switch {
	case !exists || pod.DeletionTimestamp != nil:
		return "was deleted by something in the cluster" + eventAbout(ctx, e, name)
	case pod.Status.Phase == corev1.PodFailed && slices.Contains(endedByKubelet, pod.Status.Reason):
		return fmt.Sprintf("was ended by its kubelet: %s: %s", pod.Status.Reason, pod.Status.Message)
	case e.Nodes == nil && pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed:
		return lostNode(ctx, e, pod)
	}
	return ""
}

// eventAbout returns the last event about a pod that is gone, for a message, or that of its
// eviction if that is judged.
func eventAbout(ctx context.Context, e *env.Env, name types.NamespacedName) string {
	events, err := e.Client.CoreV1().Events(name.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return ""
	}
	last := ""
	for _, event := range events.Items {
		isOf := event.InvolvedObject.Kind == "Pod" && event.InvolvedObject.UID == e.Pods[name]
		if isOf && !isJudged(e, last) {
			last = fmt.Sprintf("; event: %s: %s", event.Reason, event.Message)
		}
	}
	return last
}

// lostNode states that the node of a pod is gone, or that its kubelet does not report.
func lostNode(ctx context.Context, e *env.Env, pod *corev1.Pod) string {
	if pod.Spec.NodeName == "" {
		return ""
	}
	node, err := e.Client.CoreV1().Nodes().Get(ctx, pod.Spec.NodeName, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return fmt.Sprintf("was on node %s, which is gone", pod.Spec.NodeName)
	case err == nil && !env.Ready(node):
		return fmt.Sprintf("is on node %s, which is not ready", node.Name)
	}
	return ""
}
