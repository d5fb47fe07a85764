// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/internal/rules"
)

// OnNodes returns the devices in slices of one driver that are local to a node, by
// node. With inNetwork, and if there are none, because a controller publishes devices in
// the network, it returns for each node the devices that are available on it.
func OnNodes(published []resourceapi.ResourceSlice, nodes []corev1.Node, inNetwork bool) map[string][]audit.DeviceID {
	isLocal := func(s resourceapi.ResourceSlice) bool { return s.Spec.NodeName != nil }
	all := inNetwork && !slices.ContainsFunc(published, isLocal)
	on := map[string][]audit.DeviceID{}
	for i := range published {
		spec := &published[i].Spec
		if !all && spec.NodeName == nil {
			continue
		}
		var names []string
		for j := range spec.Devices {
			if j == 0 || ptr.Deref(spec.PerDeviceNodeSelection, false) {
				names = namesOf(rules.NodesOf(spec, &spec.Devices[j]), nodes)
			}
			id := audit.DeviceID{Driver: spec.Driver, Pool: spec.Pool.Name, Device: spec.Devices[j].Name}
			for _, name := range names {
				on[name] = append(on[name], id)
			}
		}
	}
	return on
}

// namesOf returns the names of those of the nodes that a device is available on. An
// invalid selector selects none.
func namesOf(of rules.Nodes, nodes []corev1.Node) []string {
	var names []string
	for i := range nodes {
		if ok, err := of.Include(&nodes[i]); ok && err == nil {
			names = append(names, nodes[i].Name)
		}
	}
	return names
}
