// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
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

// ExpectSlicesStay asserts that the slices that a driver has for a node now are neither deleted nor
// replaced for longer than a kubelet waits until it removes those of a driver that is gone.
func ExpectSlicesStay(ctx context.Context, e *env.Env, driver, node, because string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("checking for %s that the slices of driver %s for node %s stay", e.Timeouts.SliceRemoval, driver, node))
	list := func(ctx context.Context) (map[string]types.UID, error) {
		all, err := ListSlices(ctx, e, driver)
		uids := map[string]types.UID{}
		for _, slice := range all {
			if ptr.Deref(slice.Spec.NodeName, "") == node {
				uids[slice.Name] = slice.UID
			}
		}
		return uids, err
	}
	before, err := list(ctx)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(before).NotTo(gomega.BeEmpty(), "driver %s should have slices for node %s", driver, node)
	env.ExpectStableFor(ctx, e, e.Timeouts.SliceRemoval, func(ctx context.Context) (violation, checkErr error) {
		now, err := list(ctx)
		if err != nil {
			return nil, err
		}
		for name, uid := range before {
			if same, ok := now[name]; !ok || same != uid {
				return fmt.Errorf("slice %s with UID %s does not exist any more", name, uid), nil
			}
		}
		return nil, nil
	}, "the slices of driver %s for node %s should stay, because %s", driver, node, because)
}

// WaitForNodeWithDevices returns a node on which a driver has devices and on
// which pods can run: the one with the most devices that are not allocated. Among
// neighbours, it is one whose devices were free. It waits for such a node, because
// a node is not schedulable immediately after a restart.
func WaitForNodeWithDevices(ctx context.Context, e *env.Env, driver string) string {
	ginkgo.GinkgoHelper()
	var name string
	gomega.Eventually(ctx, func(ctx context.Context) error {
		nodes, err := listNodes(ctx, e, driver, true)
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

// ListNodes returns the nodes that have devices of a driver of their own, and on
// which pods with its devices can run. Those with the most devices that are not
// allocated come first.
func ListNodes(ctx context.Context, e *env.Env, driver string) ([]string, error) {
	return listNodes(ctx, e, driver, false)
}

// ListHosts is [ListNodes] for a driver whose devices may span nodes. If no node has devices
// of its own, the nodes are those that the devices select.
func ListHosts(ctx context.Context, e *env.Env, driver string) ([]string, error) {
	return listNodes(ctx, e, driver, true)
}

// listNodes is [ListNodes]. With inNetwork, and if no node has devices of its own,
// because a controller publishes devices in the network, the nodes are those that such
// devices are available on.
func listNodes(ctx context.Context, e *env.Env, driver string, inNetwork bool) ([]string, error) {
	nodes, err := e.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	published, err := ListSlices(ctx, e, driver)
	if err != nil {
		return nil, err
	}
	allocated, err := listAllocated(ctx, e)
	if err != nil {
		return nil, err
	}
	free := map[string]int{}
	for node, devices := range OnNodes(published, nodes.Items, inNetwork) {
		free[node] = 0 // A node whose devices are all allocated has an entry.
		for _, id := range devices {
			if !allocated[id] {
				free[node]++
			}
		}
	}
	var names []string
	for i := range nodes.Items {
		node := &nodes.Items[i]
		if _, has := free[node.Name]; has && e.Unusable(node, driver) == "" {
			names = append(names, node.Name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(free[b], free[a]) })
	return names, nil
}

// listAllocated returns the devices that are allocated to claims of all namespaces.
func listAllocated(ctx context.Context, e *env.Env) (map[audit.DeviceID]bool, error) {
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
	return allocated, nil
}
