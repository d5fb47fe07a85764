package allocator

import (
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/internal/pools"
	"github.com/draconform/draconform/allocator/internal/search"
	"github.com/draconform/draconform/allocator/internal/selector"
)

// Config is what an Index needs to know, and does not change.
type Config struct {
	// Features are the features of the cluster. Slices and claims that need others are ignored or rejected
	// as upstream does.
	Features structured.Features
	// CELCache compiles expressions, once each. Nil means a cache of its own with list attributes and
	// consumable capacity as in Features.
	CELCache *cel.Cache
	// Fixes are the deviations from upstream. None by default.
	Fixes Fixes
	// SharingAffinity makes devices that declare a sharing affinity go only to requests that state its values, and
	// to no two requests with different ones (KEP-5981); see AffinityState. False ignores declarations.
	SharingAffinity bool
	// PackSharingAffinity offers a request first the devices that active claims lock to its values, so that
	// others stay clean. The order of devices is another one than upstream's then. It needs SharingAffinity.
	PackSharingAffinity bool
	// MaxSteps bounds one search, in choices of a device or an alternative. 0 means DefaultMaxSteps. With the
	// default an input that no pruning helps with takes about a second, and hardly ever more than two.
	MaxSteps int
}

// DefaultMaxSteps is the bound of a search that Config does not set.
const DefaultMaxSteps = 2_000_000

// Fixes are known upstream bugs that an Index may correct. The answer is another one than upstream's then.
type Fixes struct {
	// AdminAccessIgnoresCounters: a device for admin access consumes no counters (kubernetes/kubernetes#140729).
	AdminAccessIgnoresCounters bool
	// AllConflictIsNoFit: a constraint that all devices of a request cannot satisfy is no fit, where
	// upstream fails for the whole pod even if another choice for an earlier request would do.
	AllConflictIsNoFit bool
	// LiveShareBlocksDedicated: a device that was shared and no longer is stays in use until its last share
	// is released (kubernetes/kubernetes#140797).
	LiveShareBlocksDedicated bool
	// PoolErrorsStayOnNode: a request for all devices that meets an incomplete or invalid pool fails on this
	// node only, wrapping structured.ErrFailedAllocationOnNode (kubernetes/kubernetes#141829).
	PoolErrorsStayOnNode bool
	// RejectNegativeCounters: a pool with a device that consumes a negative amount of a counter is invalid
	// (kubernetes/kubernetes#141216).
	RejectNegativeCounters bool
	// SameSliceCounters: devices that stand in one slice with their counters are offered, the way drivers
	// published them up to Kubernetes 1.34. Upstream ignores them since 1.35.
	SameSliceCounters bool
}

// maxRemembered is how many expressions and attribute values an Index keeps before it starts over. Claims
// can bring ever new ones.
const maxRemembered = 1 << 18

// Index is what is known about ResourceSlices: pools, devices in order, counters, and for which of the
// devices which expression holds. It is kept as long as there are slices, across nodes and pods, and
// safe for concurrent use.
type Index struct {
	config Config

	mu      sync.Mutex
	current snapshot
}

// snapshot is one state of an index. Allocators keep the one they were made with.
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

// maxExpressions is how many compiled expressions the cache of an index keeps.
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

// Update makes these the slices of the cluster. A slice is identified by its pointer: what was found
// out about one that is still there is kept, a changed slice must be a new object, as those of informers are.
// Allocators made before go on with the slices they were made with. The order of the slices does not
// matter for the order of devices.
func (x *Index) Update(slices []*resourceapi.ResourceSlice) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.current.inventory.Same(slices) {
		return
	}
	x.current.inventory = x.newInventory(slices, x.current.inventory)
}

// Allocator returns an allocator for the slices of the last Update and the given allocated state, which must
// not change while it is used. With Config.SharingAffinity, a device that demands something and is in use counts as
// one with unknown values; AllocatorWithAffinity knows better.
func (x *Index) Allocator(state structured.AllocatedState, classes structured.DeviceClassLister) *Allocator {
	return x.AllocatorWithAffinity(state, nil, classes)
}

// AllocatorWithAffinity is Allocator with the claims that hold what is allocated, which may be nil. They are
// ignored without Config.SharingAffinity.
func (x *Index) AllocatorWithAffinity(state structured.AllocatedState, holders *AffinityState, classes structured.DeviceClassLister) *Allocator {
	return x.AllocatorFor(search.UsageOf(state), holders, classes)
}

// Usage is what is allocated in the cluster, for callers that can tell it of a pool when it is asked for, and need not
// gather it for each allocator. The answers must not change, and it must be safe for concurrent use.
type Usage = search.Usage

// PoolUsage is what is allocated of one pool.
type PoolUsage = search.PoolUsage

// DeviceUsage is what is allocated of one device.
type DeviceUsage = search.DeviceUsage

// AllocatorFor is AllocatorWithAffinity with what is allocated in another form; nil is nothing.
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
