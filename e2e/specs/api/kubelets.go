// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/e2e/suite/env"
)

// allDryRuns are the options of requests that store nothing.
var allDryRuns = []string{metav1.DryRunAll}

// kubelet acts as the kubelet of a node, in dry runs only.
type kubelet struct {
	env    *env.Env
	node   string
	client kubernetes.Interface
}

// actAsKubelet acts as the kubelet of a node. The spec does not apply if its user may not do
// that, or if the API server does not restrict what kubelets write, which the label of another
// node shows. The right to impersonate groups is none of those that runs ask for, because it
// is the right to do everything.
func actAsKubelet(ctx context.Context, e *env.Env, node, other string) kubelet {
	ginkgo.GinkgoHelper()
	findOutNodeRights(ctx, e, node)
	client, err := e.As(env.User{Name: "system:node:" + node, Groups: []string{"system:nodes"}})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	_, err = client.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
	if apierrors.IsForbidden(err) {
		e.NotApplicable(fmt.Sprintf("needs the right to act as the kubelet of node %s: %v", node, err))
	}
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	_, err = client.CoreV1().Nodes().Patch(ctx, other, types.MergePatchType, []byte(`{"metadata": {"labels": {"draconform.dev/try": "try"}}}`), metav1.PatchOptions{DryRun: allDryRuns})
	if err == nil {
		e.NotApplicable(fmt.Sprintf("needs an API server with the admission plugin NodeRestriction; the kubelet of node %s can label node %s", node, other))
	}
	gomega.Expect(err).To(gomega.Satisfy(apierrors.IsForbidden), "the kubelet of node %s should not be able to label node %s", node, other)
	return kubelet{e, node, client}
}

// expectCan waits until the API server accepts a write of the kubelet. The API server may observe
// objects a little later.
func (k kubelet) expectCan(ctx context.Context, what string, write func(context.Context) error) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("as the kubelet of node %s, in a dry run: %s", k.node, what))
	gomega.Eventually(ctx, write).WithTimeout(k.env.Timeouts.Response).Should(gomega.Succeed(), "the kubelet of node %s should be able to %s", k.node, what)
}

// expectCannot asserts that the API server forbids a write of the kubelet.
func (k kubelet) expectCannot(ctx context.Context, what string, write func(context.Context) error) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("as the kubelet of node %s, in a dry run: %s", k.node, what))
	gomega.Expect(write(ctx)).To(gomega.Satisfy(apierrors.IsForbidden), "the kubelet of node %s should not be able to %s", k.node, what)
}
