// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pools

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
)

// Seen returns the slices of all generations that match a node, without slices that need a disabled feature. Node
// computes its result from these slices. Seen is meant for explaining why slices are not used.
func (inv *Inventory) Seen(node *corev1.Node) ([]*resourceapi.ResourceSlice, error) {
	shared := inv.sharedReach()
	selected := shared.matches(node)
	var seen []*resourceapi.ResourceSlice
	for _, slice := range inv.local(node.Name) {
		if !inv.settings.ignores(slice) {
			seen = append(seen, slice.API)
		}
	}
	for _, slice := range shared.slices {
		ok, err := shared.reaches(slice, node.Name, selected)
		if err != nil {
			return nil, err
		}
		if ok {
			seen = append(seen, slice.API)
		}
	}
	return seen, nil
}
