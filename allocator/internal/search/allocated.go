package search

import (
	"sync"

	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/number"
	"github.com/draconform/draconform/allocator/internal/pools"
)

// Allocated is the allocated state of the cluster in terms of slices and counters. It is worked out where it
// is asked for, and kept. It is safe for concurrent use.
type Allocated struct {
	state  structured.AllocatedState
	shared bool // Devices may be shared (DRAConsumableCapacity).
	groups bool // Devices may have compatibility groups (DRADeviceCompatibilityGroups).
	fixes  Fixes

	sharesOnce sync.Once
	shares     map[structured.DeviceID]bool

	slices cache[*pools.Slice, []occupied]
	cores  cache[*pools.Core, *counters]
}

// occupied is what is allocated of up to 64 devices.
type occupied struct {
	devices  uint64 // Allocated for one claim alone.
	capacity uint64 // Some capacity is consumed.
}

// NewAllocated prepares an allocated state, which must not change afterwards.
func NewAllocated(state structured.AllocatedState, features structured.Features, fixes Fixes) *Allocated {
	a := &Allocated{}
	a.Init(state, features, fixes)
	return a
}

// Init is NewAllocated in memory of the caller's.
func (a *Allocated) Init(state structured.AllocatedState, features structured.Features, fixes Fixes) {
	a.state, a.shared, a.groups, a.fixes = state, features.ConsumableCapacity, features.CompatibilityGroups, fixes
}

// State returns the allocated state as it was given.
func (a *Allocated) State() structured.AllocatedState { return a.state }

// empty tells whether nothing is allocated anywhere.
func (a *Allocated) empty() bool {
	return len(a.state.AllocatedDevices) == 0 && len(a.state.AggregatedCapacity) == 0 && len(a.state.AllocatedSharedDeviceIDs) == 0
}

// words returns what is allocated of a slice, word by word; nil if nothing is.
func (a *Allocated) words(slice *pools.Slice) []occupied {
	if a.empty() {
		return nil
	}
	return a.slices.get(slice, a.lookUp)
}

func (a *Allocated) lookUp(slice *pools.Slice) []occupied {
	var words []occupied
	for i, id := range slice.IDs() {
		w, bit := bits.Bit(i)
		var o occupied
		if a.state.AllocatedDevices.Has(id) {
			o.devices = bit
		}
		if len(a.state.AggregatedCapacity) > 0 {
			if _, ok := a.state.AggregatedCapacity[id]; ok {
				o.capacity = bit
			}
		}
		if a.fixes.LiveShareBlocksDedicated && a.sharedAlready(id) && (!a.shared || slice.Flags(w).Shared&bit == 0) {
			o.devices = bit
		}
		if o == (occupied{}) {
			continue
		}
		if words == nil {
			words = make([]occupied, slice.Words())
		}
		words[w].devices |= o.devices
		words[w].capacity |= o.capacity
	}
	return words
}

// sharedAlready tells whether shares of a device are allocated, with or without capacity.
func (a *Allocated) sharedAlready(id structured.DeviceID) bool {
	if _, ok := a.state.AggregatedCapacity[id]; ok {
		return true
	}
	if len(a.state.AllocatedSharedDeviceIDs) == 0 {
		return false
	}
	a.sharesOnce.Do(func() {
		a.shares = make(map[structured.DeviceID]bool, len(a.state.AllocatedSharedDeviceIDs))
		for share := range a.state.AllocatedSharedDeviceIDs {
			a.shares[share.GetDeviceID()] = true
		}
	})
	return a.shares[id]
}

// counters is what is left of the counters of a pool, and what the compatibility groups of its allocated
// devices have in common, per counter set; without these none.
type counters struct {
	left     []number.N
	negative int // How many are below zero.
	groups   []common
}

// counters returns the state of a core; the result must not be changed.
func (a *Allocated) counters(core *pools.Core) *counters {
	return a.cores.get(core, a.count)
}

func (a *Allocated) count(core *pools.Core) *counters {
	c := &counters{left: make([]number.N, len(core.Counters))}
	if a.groups {
		c.groups = make([]common, core.Sets)
	}
	for i := range core.Counters {
		c.left[i] = core.Counters[i].Total
	}
	if !a.empty() {
		core.Each(func(slice *pools.Slice, devices []pools.Consumption) {
			for i, id := range slice.IDs() {
				if len(devices[i].Groups) == 0 || !a.state.AllocatedDevices.Has(id) && !a.sharedAlready(id) {
					continue
				}
				for _, d := range devices[i].Deltas {
					c.left[d.Counter] = c.left[d.Counter].Sub(d.Amount)
				}
				for j := range devices[i].Groups {
					if g := &devices[i].Groups[j]; a.groups {
						c.groups[g.Set] = c.groups[g.Set].add(g.Names)
					}
				}
			}
		})
	}
	for i := range c.left {
		if c.left[i].Sign() < 0 {
			c.negative++
		}
	}
	return c
}
