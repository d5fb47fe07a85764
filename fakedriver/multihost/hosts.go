package multihost

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/fakedriver/topology"
)

// controlPlaneLabel is on nodes that do not run workloads.
const controlPlaneLabel = "node-role.kubernetes.io/control-plane"

// hosts finds the nodes of the topology's hosts. Problems are in words.
func (c Config) hosts(nodes []*corev1.Node) (topology.Nodes, []string) {
	if c.AssignByName {
		return c.hostsByName(nodes), nil
	}
	return c.hostsByLabel(nodes)
}

func (c Config) hostsByLabel(nodes []*corev1.Node) (topology.Nodes, []string) {
	all := c.Topology.Nodes()
	found := topology.Nodes{Label: all.Label, Values: map[int]string{}}
	owners := map[string][]*corev1.Node{}
	for _, node := range nodes {
		if value, ok := node.Labels[all.Label]; ok {
			owners[value] = append(owners[value], node)
		}
	}
	var problems []string
	for host, value := range c.Topology.Hosts() {
		switch nodes := owners[value]; {
		case len(nodes) == 1 && c.usable(nodes[0]):
			found.Values[host] = value
		case len(nodes) > 1:
			// A pod for the host would run on any of them.
			problems = append(problems, fmt.Sprintf("host %s is missing because %d nodes have its label", value, len(nodes)))
		}
	}
	return found, problems
}

func (c Config) hostsByName(nodes []*corev1.Node) topology.Nodes {
	var workers []*corev1.Node
	for _, node := range nodes {
		if _, ok := node.Labels[controlPlaneLabel]; !ok {
			workers = append(workers, node)
		}
	}
	slices.SortFunc(workers, func(a, b *corev1.Node) int { return cmp.Compare(a.Name, b.Name) })
	found := topology.Nodes{Label: corev1.LabelHostname, Values: map[int]string{}}
	for host := range min(len(workers), len(c.Topology.Hosts())) {
		hostname := workers[host].Labels[corev1.LabelHostname]
		if hostname != "" && c.usable(workers[host]) {
			found.Values[host] = hostname
		}
	}
	return found
}

func (c Config) usable(node *corev1.Node) bool {
	if !c.RequireReady {
		return true
	}
	return slices.ContainsFunc(node.Status.Conditions, func(condition corev1.NodeCondition) bool {
		return condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue
	})
}
