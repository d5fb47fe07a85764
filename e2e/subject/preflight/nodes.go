// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/subject/published"
	"github.com/draconform/draconform/e2e/suite/env"
)

// usableNodes returns those of the nodes on which pods of specs can run. It
// reports the others, and returns nil if there are none.
func (c *checker) usableNodes(field string, free map[string][]*published.Device) map[string][]*published.Device {
	usable := maps.Clone(free)
	var reasons []string
	for _, name := range slices.Sorted(maps.Keys(free)) {
		if why := c.nodeUnusable(name); why != "" {
			delete(usable, name)
			reasons = append(reasons, fmt.Sprintf("%s: %s", name, why))
		}
	}
	switch {
	case len(usable) == 0 && len(free) > 0:
		c.report(Problem, "nodes", field, "pods cannot run on any node with these devices: %s. Change pods.nodeSelector and pods.tolerations, or the nodes", some(reasons))
		return nil
	case len(reasons) > 0 && !onAllNodes(free):
		c.report(Warning, "nodes", field, "pods cannot run on some nodes with these devices: %s", some(reasons))
	}
	return usable
}

// onAllNodes reports whether there are devices that every node can use, so that
// it does not matter which of them is usable.
func onAllNodes(free map[string][]*published.Device) bool {
	for _, devices := range free {
		if slices.ContainsFunc(devices, func(d *published.Device) bool { return d.AllNodes }) {
			return true
		}
	}
	return false
}

// nodeUnusable states why pods of specs cannot run on a node, or is empty.
func (c *checker) nodeUnusable(name string) string {
	i := slices.IndexFunc(c.objects.Nodes, func(n *corev1.Node) bool { return n.Name == name })
	if i < 0 {
		return "there is no such node, its ResourceSlices are left over"
	}
	rule := env.Guest{Architectures: c.Architectures}
	return rule.Unusable(c.objects.Nodes[i], c.file.Pods)
}
