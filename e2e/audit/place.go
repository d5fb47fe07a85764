package audit

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/utils/ptr"
)

// place describes where a device can be used: on one node, on the nodes that a
// selector matches, or on all nodes.
type place struct {
	node     string
	selector *corev1.NodeSelector
	all      bool
}

// placeOf returns the place of a device. The slice defines it for all its
// devices, unless spec.perDeviceNodeSelection is set and each device defines
// its own.
func placeOf(spec resourceapi.ResourceSliceSpec, device resourceapi.Device) place {
	if ptr.Deref(spec.PerDeviceNodeSelection, false) {
		return place{ptr.Deref(device.NodeName, ""), device.NodeSelector, ptr.Deref(device.AllNodes, false)}
	}
	return place{ptr.Deref(spec.NodeName, ""), spec.NodeSelector, ptr.Deref(spec.AllNodes, false)}
}

// meets reports whether two places certainly have a node in common.
func (p place) meets(other place) bool {
	return p.all || other.all || p.node == other.node && equality.Semantic.DeepEqual(p.selector, other.selector)
}

// NotOn returns the devices that are not available on a node, with the place
// where they are.
func (inv *Inventory) NotOn(node *corev1.Node, devices []DeviceID) []string {
	var problems []string
	for _, id := range devices {
		switch p := inv.devices[id].place; {
		case p.all, p.node != "" && p.node == node.Name:
		case p.node != "":
			problems = append(problems, fmt.Sprintf("device %s is on node %s, not on %s", id, p.node, node.Name))
		default:
			nodes := ptr.Deref(p.selector, corev1.NodeSelector{})
			switch ok, err := selects(&nodes, node); {
			case err != nil:
				problems = append(problems, fmt.Sprintf("device %s has a node selector that makes no sense: %v", id, err))
			case !ok:
				problems = append(problems, fmt.Sprintf("device %s is on the nodes that %s matches, not on %s", id, describe(p.selector), node.Name))
			}
		}
	}
	return problems
}

// selects reports whether a node selector matches a node.
func selects(selector *corev1.NodeSelector, node *corev1.Node) (bool, error) {
	parsed, err := nodeaffinity.NewNodeSelector(selector)
	return err == nil && parsed.Match(node), err
}

// Covers reports whether an allocation is available on a node. An allocation
// without a node selector is available on all nodes, one with an invalid
// selector on none.
func Covers(allocation *resourceapi.AllocationResult, node *corev1.Node) bool {
	if allocation.NodeSelector == nil {
		return true
	}
	ok, err := selects(allocation.NodeSelector, node)
	return err == nil && ok
}

// unreached returns nodes that an allocation covers although they lack some of
// its devices. Devices that no slice offers are skipped.
func (inv *Inventory) unreached(claim *resourceapi.ResourceClaim, nodes []corev1.Node) []finding {
	devices := slices.DeleteFunc(Allocated(claim), func(id DeviceID) bool { _, ok := inv.devices[id]; return !ok })
	var found []finding
	for i := range nodes {
		if !Covers(claim.Status.Allocation, &nodes[i]) {
			continue
		}
		for _, id := range devices {
			for _, problem := range inv.NotOn(&nodes[i], []DeviceID{id}) {
				found = append(found, finding{
					rule: NodesReachDevices, about: id.String() + " on " + nodes[i].Name, judgedBy: poolOfDevice(id),
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
		for _, e := range append(term.MatchExpressions, term.MatchFields...) {
			if text != "" {
				text += ", "
			}
			text += fmt.Sprintf("%s %s %v", e.Key, e.Operator, e.Values)
		}
	}
	return text
}
