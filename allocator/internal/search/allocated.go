// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/number"
	"github.com/draconform/draconform/allocator/internal/pools"
	"github.com/draconform/draconform/internal/fault"
)

// Allocated is the allocated state of the cluster in terms of slices and counters. It is computed on demand and
// cached. It is safe for concurrent use.
type Allocated struct {
	usage  Usage // Nil if nothing is allocated.
	shared bool  // Devices may be shared (DRAConsumableCapacity).
	groups bool  // Devices may have compatibility groups (DRADeviceCompatibilityGroups).
	fixes  Fixes

	slices cache[*pools.Slice, []occupied]
	cores  cache[*pools.Core, *counters]
}

// occupied is the allocated state of up to 64 devices.
type occupied struct {
	devices  uint64 // Allocated for one claim alone.
	capacity uint64 // Some capacity is consumed.
}

// NewAllocated returns the allocated state for a usage. A nil usage means that nothing is allocated.
func NewAllocated(usage Usage, features structured.Features, fixes Fixes) *Allocated {
	a := &Allocated{}
	a.Init(usage, features, fixes)
	return a
}

// Init is like NewAllocated, in memory of the caller.
func (a *Allocated) Init(usage Usage, features structured.Features, fixes Fixes) {
	a.usage, a.shared, a.groups, a.fixes = usage, features.ConsumableCapacity, features.CompatibilityGroups, fixes
}

// Device returns the usage of a device.
func (a *Allocated) Device(id structured.DeviceID) DeviceUsage {
	if pool := a.pool(id); pool != nil {
		return pool.Device(id)
	}
	return DeviceUsage{}
}

func (a *Allocated) pool(of structured.DeviceID) PoolUsage {
	if a.usage == nil {
		return nil
	}
	return a.usage.Pool(of)
}

// words returns the allocated state of a slice by word, or nil if none of its devices is allocated.
func (a *Allocated) words(slice *pools.Slice) []occupied {
	if a.usage == nil {
		return nil
	}
	return a.slices.get(slice, a.lookUp)
}

func (a *Allocated) lookUp(slice *pools.Slice) []occupied {
	if slice.Len() == 0 {
		return nil
	}
	pool := a.pool(slice.ID(0))
	if pool == nil {
		return nil
	}
	var words []occupied
	for i, id := range slice.IDs() {
		w, bit := bits.Bit(i)
		u := pool.Device(id)
		var o occupied
		if u.Alone || a.fixes.LiveShareBlocksDedicated && u.Shared() && (!a.shared || slice.Flags(w).Shared&bit == 0) {
			o.devices = bit
		}
		if u.Consumed != nil {
			o.capacity = bit
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

// counters is the remaining amount of the counters of a pool. groups are the common compatibility groups of the
// allocated devices per counter set. They are empty if compatibility groups are disabled.
type counters struct {
	left     []number.N
	negative int // The number of counters below zero.
	groups   []common
}

// counters returns the state of a core. The caller must not change it.
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
	core.Each(func(slice *pools.Slice, devices []pools.Consumption) {
		if len(devices) > 0 && !fault.ForgetsOtherClaims {
			a.subtract(c, slice, devices)
		}
	})
	for i := range c.left {
		if c.left[i].Sign() < 0 {
			c.negative++
		}
	}
	return c
}

// subtract subtracts the consumption of the allocated devices of a slice from the counters.
func (a *Allocated) subtract(c *counters, slice *pools.Slice, devices []pools.Consumption) {
	pool := a.pool(slice.ID(0))
	if pool == nil {
		return
	}
	for i, id := range slice.IDs() {
		if len(devices[i].Groups) == 0 {
			continue
		}
		if u := pool.Device(id); !u.Alone && !u.Shared() {
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
}
