// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost_test

import (
	"context"
	"maps"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/fakedriver/multihost"
	"github.com/draconform/draconform/fakedriver/topology"
)

func TestHostsAreRemovedAndAdded(t *testing.T) {
	notReady := func(node *corev1.Node) { node.Status.Conditions[0].Status = corev1.ConditionUnknown }
	ready := func(node *corev1.Node) { node.Status.Conditions[0].Status = corev1.ConditionTrue }
	for _, test := range []struct {
		name              string
		leave, comeBack   func(*cluster)
		requireReadyNodes bool
	}{
		{
			name: "the node is deleted",
			leave: func(c *cluster) {
				c.g.Expect(c.server.Client.CoreV1().Nodes().Delete(context.Background(), "node-01", metav1.DeleteOptions{})).To(Succeed())
			},
			comeBack: func(c *cluster) {
				_, err := c.server.Client.CoreV1().Nodes().Create(context.Background(), newHost(1), metav1.CreateOptions{})
				c.g.Expect(err).NotTo(HaveOccurred())
			},
		},
		{
			name:     "the label changes",
			leave:    func(c *cluster) { c.setLabel(1, "4") },
			comeBack: func(c *cluster) { c.setLabel(1, "1") },
		},
		{
			name:     "the node is withdrawn",
			leave:    func(c *cluster) { c.updateNode(1, withdraw) },
			comeBack: func(c *cluster) { c.updateNode(1, bringBack) },
		},
		{
			name:              "the node is not ready",
			requireReadyNodes: true,
			leave:             func(c *cluster) { c.updateNode(1, notReady) },
			comeBack:          func(c *cluster) { c.updateNode(1, ready) },
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, hosts(4))
			r := c.start(t, "a", func(config *multihost.Config) { config.RequireReady = test.requireReadyNodes })
			first := c.eventuallyAvailable(allDevices...)
			test.leave(c)
			second := c.eventuallyAvailable(withoutHost1...)
			r.eventuallySays("200 3 of 4 hosts, 4 of 7 devices available")
			test.comeBack(c)
			third := c.eventuallyAvailable(allDevices...)
			c.g.Expect([]int64{second - first, third - second}).To(Equal([]int64{1, 1}), "steps of the generation")
		})
	}
}

func withdraw(node *corev1.Node) {
	node.Labels = maps.Clone(node.Labels)
	node.Labels[topology.WithdrawnLabel(driver)] = "true"
}

func bringBack(node *corev1.Node) {
	node.Labels = maps.Clone(node.Labels)
	delete(node.Labels, topology.WithdrawnLabel(driver))
}

// A withdrawn node keeps its number: the hosts after it are the same nodes as before.
func TestWithdrawnNodeIsAssignedByName(t *testing.T) {
	t.Parallel()
	c := newCluster(t, hosts(4))
	c.start(t, "a", func(config *multihost.Config) { config.AssignByName = true })
	c.eventuallyAvailable(allDevices...)
	c.updateNode(1, withdraw)
	c.eventuallyAvailable(withoutHost1...)
	c.updateNode(1, bringBack)
	c.eventuallyAvailable(allDevices...)
}

func TestNodesNeedNotBeReadyByDefault(t *testing.T) {
	t.Parallel()
	nodes := hosts(4)
	nodes[1].Status.Conditions = nil
	c := newCluster(t, nodes)
	c.start(t, "a").eventuallySays("200 4 of 4 hosts, 7 of 7 devices available")
}

func TestHostWithTwoNodesIsMissing(t *testing.T) {
	t.Parallel()
	c := newCluster(t, hosts(4))
	r := c.start(t, "a")
	c.eventuallyAvailable(allDevices...)
	c.setLabel(2, "1")
	r.eventuallySays("200 2 of 4 hosts, 2 of 7 devices available; host 1 is missing because 2 nodes have its label")
	c.setLabel(2, "2")
	c.eventuallyAvailable(allDevices...)
}

func TestAssignByName(t *testing.T) {
	t.Parallel()
	var nodes []*corev1.Node
	for _, host := range hosts(6) {
		delete(host.Labels, hostLabel)
		nodes = append(nodes, host)
	}
	nodes[0].Labels["node-role.kubernetes.io/control-plane"] = ""
	nodes[3].Status.Conditions = nil
	c := newCluster(t, nodes)
	c.start(t, "a", func(config *multihost.Config) { config.AssignByName, config.RequireReady = true, true })
	// node-03 is the third worker. It is not ready, and this does not change
	// the assignment of other nodes.
	c.eventuallyAvailable("tpu-2x2-0-0", "tpu-2x2-0-2", "tpu-2x2-2-2", "tpu-2x4-0-0")
	for _, device := range c.stored(c.g)[1].Spec.Devices {
		if device.Name == "tpu-2x4-0-0" {
			c.g.Expect(device.NodeSelector.NodeSelectorTerms[0].MatchExpressions).To(Equal([]corev1.NodeSelectorRequirement{{
				Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{"node-01.example.com", "node-02.example.com"},
			}}))
		}
	}
}
