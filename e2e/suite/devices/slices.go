// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/env"
)

// WaitForSlicesDeleted waits until the ResourceSlices of a driver for a node
// are deleted.
func WaitForSlicesDeleted(ctx context.Context, e *env.Env, driver, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until the slices of driver %s for node %s are deleted", driver, node))
	gomega.Eventually(ctx, func(ctx context.Context) error {
		all, err := ListSlices(ctx, e, driver)
		if err != nil {
			return err
		}
		var errs []error
		for _, slice := range all {
			if slice.Spec.NodeName != nil && *slice.Spec.NodeName == node {
				errs = append(errs, fmt.Errorf("slice %s still exists", slice.Name))
			}
		}
		return errors.Join(errs...)
	}).WithTimeout(e.Timeouts.Recovery).Should(gomega.Succeed(), "the slices of driver %s, which does not run on node %s, should be deleted", driver, node)
}

// WaitForNodeWithDevices returns a node on which a driver has devices and on
// which pods can run. Among neighbours, it is one whose devices were free. It waits for such a node, because a node is not schedulable
// immediately after a restart.
func WaitForNodeWithDevices(ctx context.Context, e *env.Env, driver string) string {
	ginkgo.GinkgoHelper()
	var name string
	gomega.Eventually(ctx, func(ctx context.Context) error {
		all, err := ListSlices(ctx, e, driver)
		if err != nil {
			return err
		}
		nodes, err := e.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return fmt.Errorf("list nodes: %w", err)
		}
		i := slices.IndexFunc(nodes.Items, func(node corev1.Node) bool {
			free := e.FreeNodes[driver]
			return (free == "" || free == node.Name) && e.Unusable(&node, driver) == "" && slices.ContainsFunc(all, func(s resourceapi.ResourceSlice) bool { return ptr.Deref(s.Spec.NodeName, "") == node.Name })
		})
		if i < 0 {
			return fmt.Errorf("none of %d nodes is schedulable and has one of its %d slices", len(nodes.Items), len(all))
		}
		name = nodes.Items[i].Name
		return nil
	}).WithTimeout(e.Timeouts.Recovery).Should(gomega.Succeed(), "driver %s should have devices on a node that pods can be scheduled to", driver)
	return name
}
