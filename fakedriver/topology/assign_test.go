// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package topology_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/fakedriver/topology"
)

// named returns a node with labels, given as pairs of key and value.
func named(name string, labels ...string) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}}}
	for i := 0; i < len(labels); i += 2 {
		node.Labels[labels[i]] = labels[i+1]
	}
	return node
}

const (
	hostLabel    = "draconform.dev/tpu-host"
	controlPlane = "node-role.kubernetes.io/control-plane"
)

func TestAssign(t *testing.T) {
	for _, test := range []struct {
		name     string
		nodes    []*corev1.Node
		byName   bool
		hosts    string
		selected topology.Nodes
		problems []string
	}{
		{
			name:     "by label, in any order",
			nodes:    []*corev1.Node{named("a", hostLabel, "2"), named("b", hostLabel, "0"), named("c"), named("d", hostLabel, "4")},
			hosts:    "map[0:b 2:a]",
			selected: topology.Nodes{Label: hostLabel, Values: map[int]string{0: "0", 2: "2"}},
		},
		{
			name:     "simulated nodes are not hosts",
			nodes:    []*corev1.Node{named("a", hostLabel, "1", topology.SimulatedLabel, ""), named("b", hostLabel, "1"), named("c", hostLabel, "3", topology.SimulatedLabel, "")},
			hosts:    "map[1:b]",
			selected: topology.Nodes{Label: hostLabel, Values: map[int]string{1: "1"}},
		},
		{
			name:     "two nodes for one host",
			nodes:    []*corev1.Node{named("a", hostLabel, "1"), named("b", hostLabel, "1"), named("c", hostLabel, "3")},
			hosts:    "map[3:c]",
			selected: topology.Nodes{Label: hostLabel, Values: map[int]string{3: "3"}},
			problems: []string{"host 1 is missing because 2 nodes have its label"},
		},
		{
			name: "by name, without the control plane and further nodes",
			nodes: []*corev1.Node{
				named("f", corev1.LabelHostname, "F"), named("e", corev1.LabelHostname, "E"), named("d"), named("c", corev1.LabelHostname, "C"),
				named("b", corev1.LabelHostname, "B", hostLabel, "0"), named("a", corev1.LabelHostname, "A", controlPlane, ""),
			},
			byName: true,
			hosts:  "map[0:b 1:c 2:d 3:e]",
			// A node without a hostname label is a host, but it cannot be
			// selected.
			selected: topology.Nodes{Label: corev1.LabelHostname, Values: map[int]string{0: "B", 1: "C", 3: "E"}},
		},
		{
			name: "by name, without reserved nodes",
			nodes: []*corev1.Node{
				tainted(named("a", corev1.LabelHostname, "A"), "a-vendor.example.org/gpu", corev1.TaintEffectNoSchedule),
				tainted(named("b", corev1.LabelHostname, "B"), "a-vendor.example.org/gpu", corev1.TaintEffectPreferNoSchedule),
				tainted(named("c", corev1.LabelHostname, "C"), corev1.TaintNodeNotReady, corev1.TaintEffectNoExecute),
			},
			byName:   true,
			hosts:    "map[0:b 1:c]",
			selected: topology.Nodes{Label: corev1.LabelHostname, Values: map[int]string{0: "B", 1: "C"}},
		},
		{name: "by name, not enough", nodes: []*corev1.Node{named("a", corev1.LabelHostname, "A")}, byName: true, hosts: "map[0:a]",
			selected: topology.Nodes{Label: corev1.LabelHostname, Values: map[int]string{0: "A"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewWithT(t)
			described := load(t, "4x4")
			hosts, problems := described.Assign(test.nodes, test.byName)
			names := map[int]string{}
			for host, node := range hosts {
				names[host] = node.Name
			}
			g.Expect(fmt.Sprint(names)).To(Equal(test.hosts))
			g.Expect(problems).To(Equal(test.problems))
			g.Expect(described.Selection(hosts, test.byName)).To(Equal(test.selected))
		})
	}
}

func tainted(node *corev1.Node, key string, effect corev1.TaintEffect) *corev1.Node {
	node.Spec.Taints = []corev1.Taint{{Key: key, Effect: effect}}
	return node
}
