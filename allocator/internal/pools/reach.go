// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pools

import (
	"fmt"
	"sync"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/draconform/draconform/allocator/internal/bits"
)

// reach determines which shared slices match a node. It evaluates each distinct node selector once per node.
type reach struct {
	slices    []*Slice
	selectors []selection
	ids       map[string]int
	names     map[string]bool // Nodes that are named by a device.

	visited  atomic.Bool
	byLabels sync.Once
	labels   []labels.Selector // The selectors that use only labels; nil for the others.
}

func (inv *Inventory) sharedReach() *reach {
	inv.sharedOnce.Do(func() {
		inv.reach.ids = map[string]int{}
		inv.reach.names = map[string]bool{}
		for _, slice := range inv.shared {
			if inv.settings.ignores(slice) {
				continue
			}
			inv.reach.register(slice)
			inv.reach.slices = append(inv.reach.slices, slice)
		}
		for _, slice := range inv.choosing {
			inv.reach.register(slice)
		}
	})
	return &inv.reach
}

func (r *reach) register(slice *Slice) {
	slice.where.Do(slice.locate)
	r.intern(slice.nodes)
	for i := range slice.devices {
		r.intern(slice.devices[i])
	}
}

func (r *reach) intern(s selection) {
	if s.name != "" {
		r.names[s.name] = true
	}
	if s.selector == nil {
		return
	}
	if _, ok := r.ids[s.key]; !ok {
		r.ids[s.key] = len(r.selectors)
		r.selectors = append(r.selectors, s)
	}
}

// matches evaluates all selectors for one node. Bit i is the result of selector i.
func (r *reach) matches(node *corev1.Node) bits.Set {
	if len(r.selectors) == 0 {
		return nil
	}
	var quick []labels.Selector
	if r.visited.Swap(true) { // The preparation pays off only from the second node on.
		r.byLabels.Do(r.prepareLabels)
		quick = r.labels
	}
	set := bits.New(len(r.selectors))
	for i := range r.selectors {
		if quick != nil && quick[i] != nil {
			if quick[i].Matches(labels.Set(node.Labels)) {
				set.Add(i)
			}
		} else if r.selectors[i].selector.Match(node) {
			set.Add(i)
		}
	}
	return set
}

func (r *reach) prepareLabels() {
	r.labels = make([]labels.Selector, len(r.selectors))
	for i := range r.selectors {
		r.labels[i] = labelsOnly(r.selectors[i].api)
	}
}

// matches returns whether the selection matches the node, given the evaluated selectors.
func (s *selection) matches(r *reach, node string, selected bits.Set) bool {
	switch {
	case s.name != "":
		return s.name == node
	case s.all:
		return true
	case s.selector != nil:
		return selected.Has(r.ids[s.key])
	}
	return false
}

// reaches returns whether a shared slice or one of its devices matches the node. With per-device node selection, one
// matching device suffices, and errors of later devices are ignored.
func (r *reach) reaches(slice *Slice, node string, selected bits.Set) (bool, error) {
	spec := &slice.API.Spec
	switch {
	case slice.nodes.err != nil:
		return false, fmt.Errorf("failed to perform node selection for slice %s: %w", slice.API.Name, slice.nodes.err)
	case spec.NodeSelector != nil || spec.AllNodes != nil && *spec.AllNodes:
		return slice.nodes.matches(r, node, selected), nil
	case slice.devices == nil:
		return false, nil // An unknown kind of node selection, which matches no node.
	}
	for i := range slice.devices {
		d := &slice.devices[i]
		if d.err != nil {
			return false, fmt.Errorf("failed to perform node selection for device %s in slice %s: %w",
				spec.Devices[i].Name, slice.API.Name, d.err)
		}
		if d.matches(r, node, selected) {
			return true, nil
		}
	}
	return false, nil
}

// ignores returns whether a slice is ignored because it needs a disabled feature.
func (s *Settings) ignores(slice *Slice) bool {
	spec := &slice.API.Spec
	if !s.Features.PartitionableDevices && (spec.PerDeviceNodeSelection != nil || len(spec.SharedCounters) > 0) {
		return true
	}
	return !s.Features.CompatibilityGroups && slice.usesGroups()
}
