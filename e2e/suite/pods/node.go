// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/env"
)

// ExpectOnNode asserts that a pod that is bound to a node is on the given one.
func ExpectOnNode(ctx context.Context, e *env.Env, name, node, because string) {
	ginkgo.GinkgoHelper()
	pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(pod.Spec.NodeName).To(gomega.Equal(node), "pod %s should be on node %s, because %s", name, node, because)
}
