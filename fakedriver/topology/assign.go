// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// controlPlaneLabel is the label of control plane nodes.
const controlPlaneLabel = "node-role.kubernetes.io/control-plane"

// SimulatedLabel is the label of nodes that exist only as Node objects. The
// suite creates them to test schedulers. No driver runs on them.
const SimulatedLabel = "draconform.dev/simulated"

// WithdrawnLabel returns the label of nodes that are withdrawn from a driver, with
// any value. Devices that span such a node are not available. The node keeps its
// number, so that the driver on it still knows the devices that are in use.
func WithdrawnLabel(driver string) string { return driver + "/withdrawn" }

// Assign returns the node of each host, by the host's number. Hosts without a
// node are not in the map. A problem describes a host that is missing because
// several nodes have its label. A host that simply has no node is not a
// problem.
//
// A node is the host whose number is the value of its label, see
// [Topology.Hosts]. With byName, hosts are the worker nodes without taints set
// by users, in the order of their names. The result depends only on the given
// nodes. Nodes with [SimulatedLabel] are ignored.
func (t *Topology) Assign(nodes []*corev1.Node, byName bool) (hosts map[int]*corev1.Node, problems []string) {
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(node *corev1.Node) bool {
		_, simulated := node.Labels[SimulatedLabel]
		return simulated
	})
	if byName {
		return t.assignByName(nodes), nil
	}
	owners := map[string][]*corev1.Node{}
	for _, node := range nodes {
		if value, ok := node.Labels[t.hostLabel]; ok {
			owners[value] = append(owners[value], node)
		}
	}
	hosts = map[int]*corev1.Node{}
	for host, value := range t.hosts {
		switch nodes := owners[value]; {
		case len(nodes) == 1:
			hosts[host] = nodes[0]
		case len(nodes) > 1:
			// A pod for the host could be scheduled to any of them.
			problems = append(problems, fmt.Sprintf("host %s is missing because %d nodes have its label", value, len(nodes)))
		}
	}
	return hosts, problems
}

func (t *Topology) assignByName(nodes []*corev1.Node) map[int]*corev1.Node {
	var workers []*corev1.Node
	for _, node := range nodes {
		if _, ok := node.Labels[controlPlaneLabel]; !ok && !isReserved(node) {
			workers = append(workers, node)
		}
	}
	slices.SortFunc(workers, func(a, b *corev1.Node) int { return cmp.Compare(a.Name, b.Name) })
	hosts := map[int]*corev1.Node{}
	for host := range min(len(workers), len(t.hosts)) {
		hosts[host] = workers[host]
	}
	return hosts
}

// isReserved reports whether a node has a taint other than the taints for node
// conditions. Those change, and the numbers of hosts must not.
func isReserved(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
		return !strings.HasPrefix(t.Key, "node.kubernetes.io/") && (t.Effect == corev1.TaintEffectNoSchedule || t.Effect == corev1.TaintEffectNoExecute)
	})
}

// Selection returns how the nodes of hosts are selected: by the label of the
// topology, or by hostname if they were assigned by name. A node without the
// label cannot be selected. Its host is missing.
func (t *Topology) Selection(hosts map[int]*corev1.Node, byName bool) Nodes {
	label := t.hostLabel
	if byName {
		label = corev1.LabelHostname
	}
	selection := Nodes{Label: label, Values: map[int]string{}}
	for host, node := range hosts {
		if value := node.Labels[label]; value != "" {
			selection.Values[host] = value
		}
	}
	return selection
}
