package pools

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/draconform/draconform/internal/fault"
)

// Pool is all slices of one pool, of all generations.
type Pool struct {
	Key
	settings Settings // A copy: a pool outlives the inventory that it was made for, and must not keep it.
	slices   []*Slice // In the order given.

	mu    sync.Mutex
	at    map[*Slice]uint32
	views map[string]*View
	cores map[string]*Core
	// generations is the members of each generation. Nil says that there is a newer one.
	generations map[int64][]*Slice
}

// View is a pool as seen through the slices that reach a node.
type View struct {
	Key
	// Incomplete says that slices of the pool are missing: nothing of it may be allocated.
	Incomplete bool
	// Invalid says why the pool failed validation, empty if it did not.
	Invalid string
	// Binding tells whether a device comes with binding conditions.
	Binding bool
	// Slices are those that reach the node and hold devices, in the order in which they are tried. There
	// are none if the pool is incomplete or invalid.
	Slices []*Slice
	// Core holds the counters. Nil if no device consumes any.
	Core *Core
}

// view returns the pool as seen through these slices, all of one generation, in the order given to the
// inventory; nil if a newer generation has appeared elsewhere.
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

// key tells sets of slices of the pool apart; the lock must be held.
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

// build follows the rules for pools: the highest generation that reaches the node counts if it has all of
// its slices there; otherwise all slices of the cluster decide whether it is obsolete or complete.
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
	slices.SortStableFunc(view.Slices, func(a, b *Slice) int { return cmp.Compare(a.API.Name, b.API.Name) })
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

// generation returns the slices of one generation, nil if there is a newer one; the lock must be held.
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

// isCounterSlice tells whether the slice counts for its counters only.
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
