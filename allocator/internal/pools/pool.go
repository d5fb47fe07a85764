// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pools

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/draconform/draconform/internal/fault"
)

// Pool is all slices of one pool, of all generations.
type Pool struct {
	Key
	settings Settings // A copy, because a pool outlives the inventory for which it was created and must not keep it alive.
	slices   []*Slice // In the given order.

	mu    sync.Mutex
	at    map[*Slice]uint32
	views map[string]*View
	cores map[string]*Core
	// generations contains the members of each generation. Nil means that a newer generation exists.
	generations map[int64][]*Slice
}

// View is a pool as seen through the slices that match a node.
type View struct {
	Key
	// Incomplete reports whether slices of the pool are missing. Its devices must then not be allocated.
	Incomplete bool
	// Invalid describes why the pool failed validation. It is empty if the pool is valid.
	Invalid string
	// Binding reports whether a device has binding conditions.
	Binding bool
	// Slices are those that match the node and contain devices, in the order in which they are tried. There are none
	// if the pool is incomplete or invalid.
	Slices []*Slice
	// Core contains the counters. It is nil if no device consumes counters.
	Core *Core
}

// view returns the pool as seen through the given slices. They are all of one generation, in the order of the
// inventory. It returns nil if a newer generation exists elsewhere.
func (p *Pool) view(seen []*Slice) *View {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := p.key(seen)
	view, ok := p.views[key]
	if !ok {
		view = p.build(seen)
		if p.views == nil {
			p.views = map[string]*View{}
		}
		p.views[key] = view
	}
	return view
}

// key identifies a set of slices of the pool. The caller must hold the lock.
func (p *Pool) key(list []*Slice) string {
	if len(list) == len(p.slices) {
		return ""
	}
	if p.at == nil {
		p.at = make(map[*Slice]uint32, len(p.slices))
		for i, slice := range p.slices {
			p.at[slice] = uint32(i)
		}
	}
	b := make([]byte, 0, 4*len(list))
	for _, slice := range list {
		b = binary.LittleEndian.AppendUint32(b, p.at[slice])
	}
	return string(b)
}

// build follows the rules for pools. The highest generation that matches the node is used if the node sees all of
// its slices. Otherwise all slices of the cluster determine whether it is obsolete or complete.
func (p *Pool) build(seen []*Slice) *View {
	count, generation := seen[0].API.Spec.Pool.ResourceSliceCount, seen[0].API.Spec.Pool.Generation
	members := seen
	if int64(len(seen)) != count {
		if members = p.generation(generation); members == nil {
			return nil
		}
		if int64(len(members)) != count && !fault.UsesIncompletePools {
			return &View{Key: p.Key, Incomplete: true}
		}
	}
	view := &View{Key: p.Key}
	for _, slice := range seen {
		if !p.settings.isCounterSlice(slice) {
			view.Slices = append(view.Slices, slice)
		}
	}
	slices.SortStableFunc(view.Slices, func(a, b *Slice) int { return compareNames(a.API.Name, b.API.Name) })
	view.Invalid = duplicateDevice(view.Slices)
	if view.Invalid == "" && p.settings.Features.PartitionableDevices {
		core := p.core(seen, members)
		view.Invalid = core.Invalid
		if len(core.consuming) > 0 {
			view.Core = core
		}
	}
	if view.Invalid != "" {
		return &View{Key: p.Key, Invalid: view.Invalid}
	}
	view.Binding = hasBindingConditions(view.Slices)
	return view
}

// generation returns the slices of one generation, or nil if a newer one exists. The caller must hold the lock.
func (p *Pool) generation(generation int64) []*Slice {
	members, ok := p.generations[generation]
	if ok {
		return members
	}
	members = []*Slice{}
	for _, slice := range p.slices {
		switch g := slice.API.Spec.Pool.Generation; {
		case g > generation && !fault.UsesOldGenerations:
			members = nil
		case g != generation || members == nil:
		case !p.settings.Features.CompatibilityGroups && slice.usesGroups():
		default:
			members = append(members, slice)
		}
	}
	if p.generations == nil {
		p.generations = map[int64][]*Slice{}
	}
	p.generations[generation] = members
	return members
}

// isCounterSlice returns whether only the counters of the slice are used.
func (s *Settings) isCounterSlice(slice *Slice) bool {
	spec := &slice.API.Spec
	return s.Features.PartitionableDevices && len(spec.SharedCounters) > 0 && (!s.SameSliceCounters || len(spec.Devices) == 0)
}

func duplicateDevice(list []*Slice) string {
	if fault.AcceptsInvalidPools {
		return ""
	}
	n := 0
	for _, slice := range list {
		n += slice.Len()
	}
	names := make(map[string]struct{}, n)
	for _, slice := range list {
		for i := range slice.API.Spec.Devices {
			name := slice.API.Spec.Devices[i].Name
			known := len(names)
			if names[name] = struct{}{}; len(names) == known {
				return fmt.Sprintf("duplicate device name %s", name)
			}
		}
	}
	return ""
}

func hasBindingConditions(list []*Slice) bool {
	for _, slice := range list {
		for i := range slice.API.Spec.Devices {
			if slice.API.Spec.Devices[i].BindingConditions != nil {
				return true
			}
		}
	}
	return false
}
