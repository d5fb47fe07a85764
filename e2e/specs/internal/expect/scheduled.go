// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package expect

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/env"
)

// ListScheduled returns which of the pods are bound to a node, and the others.
func ListScheduled(ctx context.Context, e *env.Env, podNames []string) (got, others []string, err error) {
	all, err := e.Client.CoreV1().Pods(e.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, nil, err
	}
	for _, name := range podNames {
		if slices.ContainsFunc(all.Items, func(pod corev1.Pod) bool { return pod.Name == name && pod.Spec.NodeName != "" }) {
			got = append(got, name)
		} else {
			others = append(others, name)
		}
	}
	return got, others, nil
}
