package audit

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/utils/ptr"
)

// place is where a device can be used: on one node, on those that a selector
// matches, or on all.
type place struct {
	node     string
	selector *corev1.NodeSelector
	all      bool
}

// placeOf reads where a device is: its slice says it of all devices, unless
// spec.perDeviceNodeSelection leaves it to each of them.
func placeOf(spec resourceapi.ResourceSliceSpec, device resourceapi.Device) place {
	if ptr.Deref(spec.PerDeviceNodeSelection, false) {
		return place{ptr.Deref(device.NodeName, ""), device.NodeSelector, ptr.Deref(device.AllNodes, false)}
	}
	return place{ptr.Deref(spec.NodeName, ""), spec.NodeSelector, ptr.Deref(spec.AllNodes, false)}
}

// NotOn returns what is wrong with using devices on a node: those that the node
// does not have, and where they are instead.
func (inv *Inventory) NotOn(node *corev1.Node, devices []DeviceID) []string {
	var problems []string
	for _, id := range devices {
		switch p := inv.places[id]; {
		case p.all, p.node != "" && p.node == node.Name:
		case p.node != "":
			problems = append(problems, fmt.Sprintf("device %s is on node %s, not on %s", id, p.node, node.Name))
		default:
			nodes := ptr.Deref(p.selector, corev1.NodeSelector{})
			selector, err := nodeaffinity.NewNodeSelector(&nodes)
			switch {
			case err != nil:
				problems = append(problems, fmt.Sprintf("device %s has a node selector that makes no sense: %v", id, err))
			case !selector.Match(node):
				problems = append(problems, fmt.Sprintf("device %s is on the nodes that %s matches, not on %s", id, describe(p.selector), node.Name))
			}
		}
	}
	return problems
}

// describe is a node selector as kubectl shows it, in short.
func describe(selector *corev1.NodeSelector) string {
	if selector == nil {
		return "nothing"
	}
	text := ""
	for _, term := range selector.NodeSelectorTerms {
		for _, e := range append(term.MatchExpressions, term.MatchFields...) {
			if text != "" {
				text += ", "
			}
			text += fmt.Sprintf("%s %s %v", e.Key, e.Operator, e.Values)
		}
	}
	return text
}
