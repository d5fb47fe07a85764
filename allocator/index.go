// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package allocator

import (
	"slices"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/internal/pools"
	"github.com/draconform/draconform/allocator/internal/search"
	"github.com/draconform/draconform/allocator/internal/selector"
	"github.com/draconform/draconform/internal/fault"
)

// Config is the immutable configuration of an Index.
type Config struct {
	// Features are the features of the cluster. Slices and claims that need other features are ignored or rejected
	// in the same way as upstream.
	Features structured.Features
	// CELCache compiles each expression once. Nil creates a cache with list attributes and consumable capacity as in
	// Features.
	CELCache *cel.Cache
	// Fixes are the deviations from upstream. The default is none.
	Fixes Fixes
	// SharingAffinity enables sharing affinity (KEP-5981). Devices that declare it are allocated only for requests
	// that state its values, and never for two requests with different values. See AffinityState. False ignores
	// declarations.
	SharingAffinity bool
	// PackSharingAffinity first offers a request the devices that active claims lock to its values, so that other
	// devices stay clean. The order of devices then differs from upstream. It requires SharingAffinity.
	PackSharingAffinity bool
	// MaxSteps bounds one search. A step is the choice of a device or of an alternative. 0 means DefaultMaxSteps.
	// With the default, a search for which no pruning helps takes about a second and rarely more than two.
	MaxSteps int
}

// DefaultMaxSteps is the bound of a search if Config.MaxSteps is not set.
const DefaultMaxSteps = 2_000_000

// Fixes are known upstream bugs that an Index can correct. A fix makes results differ from upstream.
type Fixes struct {
	// AdminAccessIgnoresCounters: a device with admin access consumes no counters (kubernetes/kubernetes#140729).
	AdminAccessIgnoresCounters bool
	// AllConflictIsNoFit: a constraint that all devices of a request cannot satisfy results in no fit. Upstream
	// fails for the whole pod even if another choice for an earlier request would fit.
	AllConflictIsNoFit bool
	// LiveShareBlocksDedicated: a device that was shared and no longer allows multiple allocations stays in use
	// until its last share is released (kubernetes/kubernetes#140797).
	LiveShareBlocksDedicated bool
	// PoolErrorsStayOnNode: a request for all devices that finds an incomplete or invalid pool fails on this node
	// only. The error wraps structured.ErrFailedAllocationOnNode (kubernetes/kubernetes#141829).
	PoolErrorsStayOnNode bool
	// RejectNegativeCounters: a pool with a device that consumes a negative amount of a counter is invalid
	// (kubernetes/kubernetes#141216).
	RejectNegativeCounters bool
	// SameSliceCounters: devices in the same slice as their counters are offered. Drivers published them this way up
	// to Kubernetes 1.34. Upstream ignores them since 1.35.
	SameSliceCounters bool
}

// maxRemembered is the number of expressions and attribute values that an Index keeps before it discards all of
// them. Claims can add new ones without limit.
const maxRemembered = 1 << 18

// Index caches the properties of ResourceSlices: pools, devices in order, counters, and the devices for which each
// expression is true. It is kept across nodes and pods as long as the slices exist. It is safe for concurrent use.
type Index struct {
	config Config

	mu      sync.Mutex
	current snapshot
}

// snapshot is one state of an index. An allocator keeps the snapshot with which it was created.
type snapshot struct {
	inventory *pools.Inventory
	memo      *selector.Memo
}

// NewIndex returns an index without slices.
func NewIndex(config Config) *Index {
	if config.CELCache == nil {
		config.CELCache = cel.NewCache(maxExpressions, cel.Features{
			EnableConsumableCapacity: config.Features.ConsumableCapacity,
			EnableListTypeAttributes: config.Features.ListTypeAttributes,
		})
	}
	if config.MaxSteps <= 0 {
		config.MaxSteps = DefaultMaxSteps
	}
	x := &Index{config: config}
	x.current = snapshot{memo: x.newMemo(), inventory: x.newInventory(nil, nil)}
	return x
}

// maxExpressions is the number of compiled expressions in the cache of an index.
const maxExpressions = 1000

func (x *Index) newMemo() *selector.Memo {
	return selector.NewMemo(x.config.CELCache, x.config.Features.ListTypeAttributes)
}

func (x *Index) newInventory(slices []*resourceapi.ResourceSlice, previous *pools.Inventory) *pools.Inventory {
	return pools.NewInventory(pools.Settings{
		Features:               x.config.Features,
		SameSliceCounters:      x.config.Fixes.SameSliceCounters,
		RejectNegativeCounters: x.config.Fixes.RejectNegativeCounters,
	}, slices, previous)
}

// Update sets the slices of the cluster. A slice is identified by its pointer. Results for slices that are still
// present are kept. A changed slice must be a new object, as informers return it. Existing allocators continue to
// use the slices with which they were created. The order of the slices does not affect the order of devices.
func (x *Index) Update(list []*resourceapi.ResourceSlice) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if fault.KeepsDeletedSlices {
		list = withDeleted(list, x.current.inventory.List())
	}
	if x.current.inventory.Same(list) {
		return
	}
	x.current.inventory = x.newInventory(list, x.current.inventory)
}

// withDeleted returns slices and the earlier ones that were deleted, as a fault sees them.
func withDeleted(list, earlier []*resourceapi.ResourceSlice) []*resourceapi.ResourceSlice {
	all := slices.Clone(list)
	for _, before := range earlier {
		if !slices.ContainsFunc(list, func(s *resourceapi.ResourceSlice) bool { return s.Name == before.Name }) {
			all = append(all, before)
		}
	}
	return all
}

// Allocator returns an allocator for the slices of the last Update and the given allocated state. The state must not
// change while the allocator is used. With Config.SharingAffinity, a device that declares sharing affinity and is in
// use has unknown values. Use AllocatorWithAffinity to pass the values.
func (x *Index) Allocator(state structured.AllocatedState, classes structured.DeviceClassLister) *Allocator {
	return x.AllocatorWithAffinity(state, nil, classes)
}

// AllocatorWithAffinity is like Allocator, with the claims that hold the allocated devices. holders may be nil. It
// is ignored without Config.SharingAffinity.
func (x *Index) AllocatorWithAffinity(state structured.AllocatedState, holders *AffinityState, classes structured.DeviceClassLister) *Allocator {
	return x.AllocatorFor(search.UsageOf(state), holders, classes)
}

// Usage is the allocated state of the cluster for callers that look it up per pool on demand. They do not collect it
// for each allocator. Its results must not change, and it must be safe for concurrent use.
type Usage = search.Usage

// PoolUsage is the allocated state of one pool.
type PoolUsage = search.PoolUsage

// DeviceUsage is the allocated state of one device.
type DeviceUsage = search.DeviceUsage

// AllocatorFor is like AllocatorWithAffinity, with the allocated state as a Usage. A nil usage means that nothing is
// allocated.
func (x *Index) AllocatorFor(usage Usage, holders *AffinityState, classes structured.DeviceClassLister) *Allocator {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.current.memo.Len() > maxRemembered {
		x.current = snapshot{memo: x.newMemo(), inventory: x.newInventory(x.current.inventory.List(), nil)}
	}
	fixes := search.Fixes{
		AdminAccessIgnoresCounters: x.config.Fixes.AdminAccessIgnoresCounters,
		AllConflictIsNoFit:         x.config.Fixes.AllConflictIsNoFit,
		LiveShareBlocksDedicated:   x.config.Fixes.LiveShareBlocksDedicated,
		PoolErrorsStayOnNode:       x.config.Fixes.PoolErrorsStayOnNode,
	}
	a := &Allocator{
		config:   &x.config,
		snapshot: x.current,
		classes:  classes,
		fixes:    fixes,
		limits:   search.Limits{Steps: x.config.MaxSteps},
	}
	a.allocated.Init(usage, x.config.Features, fixes)
	if x.config.SharingAffinity {
		a.affinity = search.NewAffinity(holders.reconstructed(), &a.allocated, x.config.PackSharingAffinity)
	}
	return a
}
