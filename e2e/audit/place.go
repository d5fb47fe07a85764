// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/draconform/draconform/internal/rules"
)

// intersect reports whether two sets of nodes certainly have a node in common.
func intersect(a, b rules.Nodes) bool {
	return a.All || b.All || a.Name == b.Name && equality.Semantic.DeepEqual(a.Selector, b.Selector)
}

// NotOn returns the devices that are not available on a node, with the place
// where they are.
func (inv *Inventory) NotOn(node *corev1.Node, devices []DeviceID) []string {
	var problems []string
	for _, id := range devices {
		nodes := inv.devices[id].nodes
		switch ok, err := nodes.Include(node); {
		case ok:
		case err != nil:
			problems = append(problems, fmt.Sprintf("device %s has an invalid node selector: %v", id, err))
		case nodes.Name != "":
			problems = append(problems, fmt.Sprintf("device %s is on node %s, not on %s", id, nodes.Name, node.Name))
		default:
			problems = append(problems, fmt.Sprintf("device %s is on the nodes that %s matches, not on %s", id, describe(nodes.Selector), node.Name))
		}
	}
	return problems
}

// Covers reports whether an allocation is available on a node. An allocation
// without a node selector is available on all nodes, one with an invalid
// selector on none.
func Covers(allocation *resourceapi.AllocationResult, node *corev1.Node) bool {
	if allocation.NodeSelector == nil {
		return true
	}
	ok, err := rules.NodeMatches(allocation.NodeSelector, node)
	return err == nil && ok
}

// checkNodes returns nodes that an allocation covers although they lack some of
// its devices. Devices that no slice offers, and those whose nodes are not known, are
// skipped.
func (inv *Inventory) checkNodes(claim *resourceapi.ResourceClaim, nodes []corev1.Node) []finding {
	devices := slices.DeleteFunc(Allocated(claim), func(id DeviceID) bool {
		device, ok := inv.devices[id]
		return !ok || !isKnown(device.nodes)
	})
	var found []finding
	for i := range nodes {
		if !Covers(claim.Status.Allocation, &nodes[i]) {
			continue
		}
		for _, id := range devices {
			for _, problem := range inv.NotOn(&nodes[i], []DeviceID{id}) {
				found = append(found, finding{
					rule: NodesReachDevices, about: id.String() + " on " + nodes[i].Name, dependsOn: poolOfDevice(id),
					text: fmt.Sprintf("its allocation is for node %s (node selector: %s), but %s", nodes[i].Name, describe(claim.Status.Allocation.NodeSelector), problem),
				})
			}
		}
	}
	return found
}

// describe returns a short form of a node selector, similar to that of kubectl.
func describe(selector *corev1.NodeSelector) string {
	if selector == nil {
		return "nothing"
	}
	text := ""
	for _, term := range selector.NodeSelectorTerms {
		for _, e := range slices.Concat(term.MatchExpressions, term.MatchFields) {
			if text != "" {
				text += ", "
			}
			text += fmt.Sprintf("%s %s %v", e.Key, e.Operator, e.Values)
		}
	}
	return text
}
