// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/fakedriver/topology"
)

// hosts returns the nodes of the topology's hosts, and problems as readable
// messages.
func (c Config) hosts(nodes []*corev1.Node) (topology.Nodes, []string) {
	hosts, problems := c.Topology.Assign(nodes, c.AssignByName)
	maps.DeleteFunc(hosts, func(_ int, node *corev1.Node) bool { return c.isWithdrawn(node) || !c.usable(node) })
	return c.Topology.Selection(hosts, c.AssignByName), problems
}

func (c Config) isWithdrawn(node *corev1.Node) bool {
	_, withdrawn := node.Labels[topology.WithdrawnLabel(c.DriverName)]
	return withdrawn
}

func (c Config) usable(node *corev1.Node) bool {
	if !c.RequireReady {
		return true
	}
	return slices.ContainsFunc(node.Status.Conditions, func(condition corev1.NodeCondition) bool {
		return condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue
	})
}
