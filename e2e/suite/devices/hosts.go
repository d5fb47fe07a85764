// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/draconform/draconform/e2e/suite/env"
)

// ListHosts returns the names of the nodes that the devices of a driver of multi-host
// devices select.
func ListHosts(ctx context.Context, e *env.Env, driver string) ([]string, error) {
	published, err := ListSlices(ctx, e, driver)
	if err != nil {
		return nil, err
	}
	var selectors []*nodeaffinity.NodeSelector
	add := func(selector *corev1.NodeSelector) error {
		if selector == nil {
			return nil
		}
		parsed, err := nodeaffinity.NewNodeSelector(selector)
		selectors = append(selectors, parsed)
		return err
	}
	for _, slice := range published {
		if err := add(slice.Spec.NodeSelector); err != nil {
			return nil, fmt.Errorf("slice %s: %w", slice.Name, err)
		}
		for _, device := range slice.Spec.Devices {
			if err := add(device.NodeSelector); err != nil {
				return nil, fmt.Errorf("slice %s, device %s: %w", slice.Name, device.Name, err)
			}
		}
	}
	nodes, err := e.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	var names []string
	for i := range nodes.Items {
		if matchesAny(selectors, &nodes.Items[i]) && e.Unusable(&nodes.Items[i], driver) == "" {
			names = append(names, nodes.Items[i].Name)
		}
	}
	return names, nil
}

func matchesAny(selectors []*nodeaffinity.NodeSelector, node *corev1.Node) bool {
	for _, selector := range selectors {
		if selector.Match(node) {
			return true
		}
	}
	return false
}
