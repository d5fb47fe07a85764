// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"context"
	"errors"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
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
// which pods can run: the one with the most devices that are not allocated. Among
// neighbours, it is one whose devices were free. It waits for such a node, because
// a node is not schedulable immediately after a restart.
func WaitForNodeWithDevices(ctx context.Context, e *env.Env, driver string) string {
	ginkgo.GinkgoHelper()
	var name string
	gomega.Eventually(ctx, func(ctx context.Context) error {
		free, err := listFreeDevices(ctx, e, driver)
		if err != nil {
			return err
		}
		nodes, err := e.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return fmt.Errorf("list nodes: %w", err)
		}
		name = ""
		for i := range nodes.Items {
			node := &nodes.Items[i]
			_, has := free[node.Name]
			chosen := e.FreeNodes[driver]
			if has && (chosen == "" || chosen == node.Name) && e.Unusable(node, driver) == "" && (name == "" || free[node.Name] > free[name]) {
				name = node.Name
			}
		}
		if name == "" {
			return fmt.Errorf("none of %d nodes is schedulable and one of the %d with slices of the driver", len(nodes.Items), len(free))
		}
		return nil
	}).WithTimeout(e.Timeouts.Recovery).Should(gomega.Succeed(), "driver %s should have devices on a node that pods can be scheduled to", driver)
	return name
}

// listFreeDevices returns how many devices of a driver are not allocated, for
// each node of which there are ResourceSlices.
func listFreeDevices(ctx context.Context, e *env.Env, driver string) (map[string]int, error) {
	all, err := ListSlices(ctx, e, driver)
	if err != nil {
		return nil, err
	}
	claims, err := e.Client.ResourceV1().ResourceClaims(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list the claims of all namespaces: %w", err)
	}
	allocated := map[audit.DeviceID]bool{}
	for i := range claims.Items {
		for _, id := range audit.Allocated(&claims.Items[i]) {
			allocated[id] = true
		}
	}
	free := map[string]int{}
	for _, slice := range all {
		node := ptr.Deref(slice.Spec.NodeName, "")
		for _, device := range slice.Spec.Devices {
			if !allocated[audit.DeviceID{Driver: driver, Pool: slice.Spec.Pool.Name, Device: device.Name}] {
				free[node]++
			}
		}
		free[node] += 0 // A node whose devices are all allocated has an entry.
	}
	return free, nil
}
