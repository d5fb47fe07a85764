// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package simulated

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/suite/env"
)

// In a cluster with kwok, kwok manages the nodes, and other pods stay off them.
func TestNodesFollowTheConventionsOfKwok(t *testing.T) {
	g := NewWithT(t)
	s := &Nodes{env: &env.Env{Unique: "spec"}}
	node := s.newNode(0)
	g.Expect(node.Annotations).To(HaveKeyWithValue("kwok.x-k8s.io/node", "fake"))
	g.Expect(node.Spec.Taints).To(ConsistOf(corev1.Taint{Key: "kwok.x-k8s.io/node", Value: "fake", Effect: corev1.TaintEffectNoSchedule}))
	g.Expect(env.Schedulable(node)).To(BeFalse(), "for other pods")
	pod := &corev1.Pod{}
	s.place(pod)
	tolerates := false
	for _, toleration := range pod.Spec.Tolerations {
		// A toleration without a key tolerates all taints.
		tolerates = tolerates || toleration.Operator == corev1.TolerationOpExists && toleration.Key == ""
	}
	g.Expect(tolerates).To(BeTrue())
	for key, value := range pod.Spec.NodeSelector {
		g.Expect(node.Labels).To(HaveKeyWithValue(key, value))
	}
}
