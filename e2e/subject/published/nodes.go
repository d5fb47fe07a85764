// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package published

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/draconform/draconform/allocator/state"
	"github.com/draconform/draconform/internal/rules"
)

// nodesOf returns the nodes of a cluster. Without Node objects, they are the
// nodes that the slices name, also in node selectors.
func nodesOf(objects *state.Objects) []*corev1.Node {
	if len(objects.Nodes) > 0 {
		return objects.Nodes
	}
	names := sets.New[string]()
	for _, node := range objects.AllNodes() {
		names.Insert(node.Name)
	}
	for _, slice := range objects.Slices {
		insertSelected(names, slice.Spec.NodeSelector)
		for i := range slice.Spec.Devices {
			insertSelected(names, slice.Spec.Devices[i].NodeSelector)
		}
	}
	var nodes []*corev1.Node
	for _, name := range slices.Sorted(maps.Keys(names)) {
		nodes = append(nodes, state.NamedNode(name))
	}
	return nodes
}

// insertSelected adds the names that a node selector lists.
func insertSelected(names sets.Set[string], selector *corev1.NodeSelector) {
	if selector == nil {
		return
	}
	for _, term := range selector.NodeSelectorTerms {
		for _, r := range slices.Concat(term.MatchFields, term.MatchExpressions) {
			if (r.Key == metav1.ObjectNameField || r.Key == corev1.LabelHostname) && r.Operator == corev1.NodeSelectorOpIn {
				names.Insert(r.Values...)
			}
		}
	}
}

// included returns the names of the nodes on which a device can be used. A
// selector that cannot be parsed includes none, and the lint rules report it.
func included(on rules.Nodes, nodes []*corev1.Node) []string {
	var names []string
	for _, node := range nodes {
		if ok, err := on.Include(node); err == nil && ok {
			names = append(names, node.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Nodes returns the names of the nodes with devices, sorted.
func Nodes(devices []*Device) []string {
	names := sets.New[string]()
	for _, d := range devices {
		names.Insert(d.Nodes...)
	}
	return slices.Sorted(maps.Keys(names))
}

// OnNode returns the devices that can be used on a node.
func OnNode(devices []*Device, node string) []*Device {
	return slices.DeleteFunc(slices.Clone(devices), func(d *Device) bool { return !slices.Contains(d.Nodes, node) })
}
