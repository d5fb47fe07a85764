// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/utils/ptr"
)

// Nodes are the nodes on which a device can be used. One field is set.
type Nodes struct {
	Name     string
	All      bool
	Selector *corev1.NodeSelector
}

// NodesOf returns the nodes of a device. The slice defines them for all its
// devices, unless spec.perDeviceNodeSelection is set and each device defines
// its own (KEP-4815; API ResourceSliceSpec.perDeviceNodeSelection).
func NodesOf(spec *resourceapi.ResourceSliceSpec, device *resourceapi.Device) Nodes {
	if ptr.Deref(spec.PerDeviceNodeSelection, false) {
		return Nodes{ptr.Deref(device.NodeName, ""), ptr.Deref(device.AllNodes, false), device.NodeSelector}
	}
	return Nodes{ptr.Deref(spec.NodeName, ""), ptr.Deref(spec.AllNodes, false), spec.NodeSelector}
}

// Include reports whether the node is one of the nodes.
func (n Nodes) Include(node *corev1.Node) (bool, error) {
	switch {
	case n.All:
		return true, nil
	case n.Name != "":
		return n.Name == node.Name, nil
	case n.Selector != nil:
		return NodeMatches(n.Selector, node)
	default:
		return false, nil
	}
}

// NodeMatches reports whether a node selector matches a node (API
// AllocationResult.nodeSelector).
func NodeMatches(selector *corev1.NodeSelector, node *corev1.Node) (bool, error) {
	parsed, err := nodeaffinity.NewNodeSelector(selector)
	if err != nil {
		return false, fmt.Errorf("parse node selector: %w", err)
	}
	return parsed.Match(node), nil
}
