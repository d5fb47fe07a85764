// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package simulated

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// SetLabel sets a label of a simulated node.
func (s *Nodes) SetLabel(ctx context.Context, node, key, value string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("setting the label %s of node %s to %q", key, node, value))
	s.patchNode(ctx, node, map[string]any{"metadata": map[string]any{"labels": map[string]any{key: value}}})
}

// RemoveLabel removes a label of a simulated node.
func (s *Nodes) RemoveLabel(ctx context.Context, node, key string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("removing the label %s of node %s", key, node))
	s.patchNode(ctx, node, map[string]any{"metadata": map[string]any{"labels": map[string]any{key: nil}}})
}

// Cordon makes a simulated node unschedulable for pods with [KeepOffCordoned],
// or schedulable again.
func (s *Nodes) Cordon(ctx context.Context, node string, unschedulable bool) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("setting node %s unschedulable: %t", node, unschedulable))
	s.patchNode(ctx, node, map[string]any{"spec": map[string]any{"unschedulable": unschedulable}})
}

// ShutDown makes a simulated node one that was shut down, and marks it as administrators do
// to release what its pods use.
func (s *Nodes) ShutDown(ctx context.Context, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("shutting node " + node + " down")
	ready := corev1.NodeCondition{Type: corev1.NodeReady, Status: corev1.ConditionFalse, Reason: "ShutDown", LastTransitionTime: metav1.Now()}
	s.patchNode(ctx, node, map[string]any{"status": map[string]any{"conditions": []corev1.NodeCondition{ready}}}, "status")
	s.patchNode(ctx, node, map[string]any{"spec": map[string]any{"taints": []corev1.Taint{
		{Key: kwokNode, Value: kwokFake, Effect: corev1.TaintEffectNoSchedule}, {Key: corev1.TaintNodeOutOfService, Effect: corev1.TaintEffectNoExecute},
	}}})
}

// SetDevicePlugin changes the amounts of extended resources that device plugins provide on a
// simulated node, see [WithDevicePlugin]. A kubelet whose device plugin has ended reports the
// amount zero.
func (s *Nodes) SetDevicePlugin(ctx context.Context, node string, amounts corev1.ResourceList) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("setting what device plugins of node %s provide to %v", node, amounts))
	s.patchNode(ctx, node, map[string]any{"status": map[string]any{"capacity": amounts, "allocatable": amounts}}, "status")
}

func (s *Nodes) patchNode(ctx context.Context, node string, patch map[string]any, subresources ...string) {
	ginkgo.GinkgoHelper()
	content, err := json.Marshal(patch)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	_, err = s.env.Client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, content, metav1.PatchOptions{}, subresources...)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// KeepOffCordoned changes the spec of a pod, which tolerates all taints, so that
// it tolerates only those that every simulated node has or may get: the taint of
// kwok, and those of nodes without heartbeats and without a network.
func KeepOffCordoned(pod *corev1.PodSpec) {
	pod.Tolerations = nil
	for _, key := range []string{kwokNode, corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeNetworkUnavailable} {
		pod.Tolerations = append(pod.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists})
	}
}
