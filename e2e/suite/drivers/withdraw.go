// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/e2e/suite/env"
)

// WithdrawNode withdraws a node from the driver of multi-host devices by the label in its
// driver file. The function that it returns takes that back, which happens at the end of
// the spec at the latest. The node then has the value of the label that it had before, or
// none if that was the one that withdraws it: a run that was killed has left it.
func WithdrawNode(ctx context.Context, e *env.Env, node string) (takeBack func(context.Context)) {
	ginkgo.GinkgoHelper()
	label := e.Subject.MultiHost.Withdrawn
	ginkgo.By(fmt.Sprintf("withdrawing node %s by the label %s", node, label.Key))
	found, err := e.Client.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	var before any
	if value, ok := found.Labels[label.Key]; ok && value != label.Value {
		before = value
	}
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
		setNodeLabel(ctx, e, node, label.Key, before)
	}, ginkgo.NodeTimeout(e.Timeouts.Deletion))
	setNodeLabel(ctx, e, node, label.Key, label.Value)
	return func(ctx context.Context) {
		ginkgo.GinkgoHelper()
		ginkgo.By(fmt.Sprintf("restoring the label %s of node %s", label.Key, node))
		setNodeLabel(ctx, e, node, label.Key, before)
	}
}

// setNodeLabel sets a label of a node to a value. The value nil removes it.
func setNodeLabel(ctx context.Context, e *env.Env, node, key string, value any) {
	ginkgo.GinkgoHelper()
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": map[string]any{key: value}}})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	_, err = e.Client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, patch, metav1.PatchOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "node %s should get another value of the label %s", node, key)
}
