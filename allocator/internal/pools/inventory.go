// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pools

import (
	"maps"
	"slices"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/internal/fault"
)

// Settings determine how slices are interpreted. They are the same for all inventories of one index.
type Settings struct {
	Features structured.Features
	// SameSliceCounters offers devices in the same slice as the counters that they consume. Drivers published them
	// this way up to Kubernetes 1.34. Later versions use such a slice only for its counters.
	SameSliceCounters bool
	// RejectNegativeCounters makes a pool invalid if a device consumes a negative amount.
	RejectNegativeCounters bool
}

// Key identifies a pool.
type Key struct{ Driver, Pool string }

// String returns driver and pool name, separated by a slash.
func (k Key) String() string { return k.Driver + "/" + k.Pool }

// Inventory is all ResourceSlices of a cluster at one time. It is safe for concurrent use.
type Inventory struct {
	settings Settings
	list     []*resourceapi.ResourceSlice
	all      []*Slice
	shared   []*Slice // Slices without a node name, in the given order.
	choosing []*Slice // Slices with a node name and per-device node selection.
	byNode   map[string]chain
	nextNode []int32
	byPool   map[Key]chain
	nextPool []int32
	previous map[Key]*Pool // The pools of the previous inventory.

	sharedOnce sync.Once
	reach      reach

	mu    sync.Mutex
	pools map[Key]*Pool
	views map[viewKey]*Node
}

// chain is a list of slices, linked by index. One array stores all lists.
type chain struct{ head, tail int32 }

// NewInventory indexes the slices by node and by pool. Slices and pools of previous (which may be nil) keep their
// computed properties. The list and the slices must not change afterwards.
func NewInventory(settings Settings, list []*resourceapi.ResourceSlice, previous *Inventory) *Inventory {
	inv := &Inventory{
		settings: settings,
		list:     list,
		all:      make([]*Slice, len(list)),
		byNode:   make(map[string]chain, len(list)),
		nextNode: make([]int32, len(list)),
		byPool:   make(map[Key]chain, len(list)),
		nextPool: make([]int32, len(list)),
		pools:    make(map[Key]*Pool),
		views:    make(map[viewKey]*Node),
	}
	inv.adopt(previous)
	for i, slice := range inv.all {
		spec := &slice.API.Spec
		at := int32(i)
		if spec.NodeName != nil && *spec.NodeName != "" {
			link(inv.byNode, inv.nextNode, *spec.NodeName, at)
			if perDevice(slice) {
				inv.choosing = append(inv.choosing, slice)
			}
		} else {
			inv.shared = append(inv.shared, slice)
		}
		link(inv.byPool, inv.nextPool, Key{spec.Driver, spec.Pool.Name}, at)
	}
	return inv
}

func link[K comparable](heads map[K]chain, next []int32, key K, at int32) {
	next[at] = -1
	c, ok := heads[key]
	if !ok {
		heads[key] = chain{at, at}
		return
	}
	next[c.tail] = at
	c.tail = at
	heads[key] = c
}

func (inv *Inventory) adopt(previous *Inventory) {
	known := map[*resourceapi.ResourceSlice]*Slice{}
	if previous != nil {
		for i, slice := range previous.all {
			known[previous.list[i]] = slice
		}
	}
	fresh := make([]Slice, len(inv.list)-min(len(known), len(inv.list)))
	for i, api := range inv.list {
		slice := known[api]
		if slice == nil && fault.KeepsChangedSlices {
			slice = earlier(previous, api)
		}
		if slice == nil {
			if len(fresh) == 0 {
				fresh = make([]Slice, 1)
			}
			slice, fresh = &fresh[0], fresh[1:]
			slice.API = arranged(api)
		}
		inv.all[i] = slice
	}
	if previous == nil {
		return
	}
	previous.mu.Lock()
	defer previous.mu.Unlock()
	inv.previous = maps.Clone(previous.pools)
}

// earlier returns a slice of the previous inventory as it was before it changed, as a fault keeps it.
func earlier(previous *Inventory, api *resourceapi.ResourceSlice) *Slice {
	if previous == nil {
		return nil
	}
	for i, before := range previous.list {
		if before.UID == api.UID {
			return previous.all[i]
		}
	}
	return nil
}

// Same returns whether the inventory was created from exactly these slices in this order.
func (inv *Inventory) Same(list []*resourceapi.ResourceSlice) bool {
	return slices.Equal(inv.list, list)
}

// List returns the slices from which the inventory was created.
func (inv *Inventory) List() []*resourceapi.ResourceSlice { return inv.list }

// Settings returns the settings with which the inventory was created.
func (inv *Inventory) Settings() Settings { return inv.settings }

// UsesGroups returns whether a device of slice i of List declares compatibility groups.
func (inv *Inventory) UsesGroups(i int) bool { return inv.all[i].usesGroups() }

func (inv *Inventory) local(node string) []*Slice {
	c, ok := inv.byNode[node]
	if !ok {
		return nil
	}
	var list []*Slice
	for i := c.head; i >= 0; i = inv.nextNode[i] {
		list = append(list, inv.all[i])
	}
	return list
}

// pool returns a pool. It reuses the pool of the previous inventory if its slices are the same. The caller must hold
// the lock.
func (inv *Inventory) pool(key Key) *Pool {
	if pool := inv.pools[key]; pool != nil {
		return pool
	}
	var list []*Slice
	for i := inv.byPool[key].head; i >= 0; i = inv.nextPool[i] {
		list = append(list, inv.all[i])
	}
	pool := &Pool{Key: key, settings: inv.settings, slices: list}
	if old := inv.previous[key]; old != nil && slices.Equal(old.slices, list) {
		pool = old
	}
	inv.pools[key] = pool
	return pool
}
