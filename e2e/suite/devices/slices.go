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
// which pods can run. Among neighbours, it is one whose devices were free. It waits
// for such a node, because a node is not schedulable immediately after a restart.
func WaitForNodeWithDevices(ctx context.Context, e *env.Env, driver string) string {
	ginkgo.GinkgoHelper()
	var name string
	gomega.Eventually(ctx, func(ctx context.Context) error {
		nodes, err := ListNodes(ctx, e, driver)
		if err != nil {
			return err
		}
		free := e.FreeNodes[driver]
		i := slices.IndexFunc(nodes, func(node string) bool { return free == "" || free == node })
		if i < 0 {
			return fmt.Errorf("the schedulable nodes with its slices are %q", nodes)
		}
		name = nodes[i]
		return nil
	}).WithTimeout(e.Timeouts.Recovery).Should(gomega.Succeed(), "driver %s should have devices on a node that pods can be scheduled to", driver)
	return name
}

// ListNodes returns the nodes that have a slice of a driver of their own, and on
// which pods with its devices can run.
func ListNodes(ctx context.Context, e *env.Env, driver string) ([]string, error) {
	all, err := ListSlices(ctx, e, driver)
	if err != nil {
		return nil, err
	}
	nodes, err := e.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	var names []string
	for i := range nodes.Items {
		node := &nodes.Items[i]
		has := slices.ContainsFunc(all, func(s resourceapi.ResourceSlice) bool { return ptr.Deref(s.Spec.NodeName, "") == node.Name })
		if has && e.Unusable(node, driver) == "" {
			names = append(names, node.Name)
		}
	}
	return names, nil
}
