// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// nodeSelector returns a node selector for nodes with one of the values of a
// label.
func nodeSelector(label string, values ...string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: label, Operator: corev1.NodeSelectorOpIn, Values: values}},
	}}}
}

// createPod starts a pod that uses a device. The claim has the name of the pod.
func createPod(ctx context.Context, e *env.Env, name string, device subject.Device) {
	ginkgo.GinkgoHelper()
	pods.CreateWithRequests(ctx, e, name, []devices.Request{{Name: "device", Device: device}})
}

// waitForNodes waits until the pods are scheduled and returns their nodes.
func waitForNodes(ctx context.Context, e *env.Env, podNames ...string) []string {
	ginkgo.GinkgoHelper()
	var nodes []string
	for _, pod := range podNames {
		pods.WaitForScheduled(ctx, e, pod)
		nodes = append(nodes, pods.GetNode(ctx, e, pod))
	}
	return nodes
}
