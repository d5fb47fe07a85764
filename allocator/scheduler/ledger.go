package scheduler

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/cache"
	draapi "k8s.io/dynamic-resource-allocation/api"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator"
)

// claimsByPool is the index of claims by the pools that they hold devices of.
const claimsByPool = "draconform.dev/claims-by-pool"

// poolsOfClaim returns the pools of the devices that a claim holds, as driver/pool.
func poolsOfClaim(object any) ([]string, error) {
	claim, ok := object.(*resourceapi.ResourceClaim)
	if !ok {
		return nil, nil
	}
	var names []string
	eachHeld(claim, func(r *resourceapi.DeviceRequestAllocationResult) {
		if name := poolName(r.Driver, r.Pool); len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name) // The index does not mind one that is there twice.
		}
	})
	return names, nil
}

func poolName(driver, pool string) string { return driver + "/" + pool }

// eachHeld goes through what a claim holds: admin access holds nothing.
func eachHeld(claim *resourceapi.ResourceClaim, f func(*resourceapi.DeviceRequestAllocationResult)) {
	if claim.Status.Allocation == nil {
		return
	}
	results := claim.Status.Allocation.Devices.Results
	for i := range results {
		if !ptr.Deref(results[i].AdminAccess, false) {
			f(&results[i])
		}
	}
}

// ledger is what is allocated in the cluster. It is kept by the informer, which sorts claims by pools as they come, and by
// inFlight; both are never behind the events that bring pods back to the queue. So a pod that failed because of a device
// that was freed meanwhile is tried again by the event of that.
type ledger struct {
	claims   cache.Indexer
	inFlight *inFlight
	shares   bool // Devices may be shared (DRAConsumableCapacity). Otherwise a share takes all of its device.
}

// usage returns what is allocated, for one attempt to schedule a pod. Pools are looked at when they are asked for, and
// then stay the same. A claim that is in flight now counts until the attempt ends, even if it is given up.
func (l *ledger) usage() *usage {
	u := &usage{ledger: l, inFlight: map[pool][]*resourceapi.DeviceRequestAllocationResult{}, pools: map[pool]poolUsage{}}
	// Before any look at the informer: a claim that arrives there meanwhile is counted by one of the two, or by both,
	// which makes no difference.
	for _, claim := range l.inFlight.list() {
		eachHeld(claim, func(r *resourceapi.DeviceRequestAllocationResult) {
			p := poolOf(structured.MakeDeviceID(r.Driver, r.Pool, r.Device))
			u.inFlight[p] = append(u.inFlight[p], r)
		})
	}
	return u
}

type pool struct{ driver, name draapi.UniqueString }

func poolOf(id structured.DeviceID) pool { return pool{id.Driver, id.Pool} }

// usage is what is allocated, as one attempt sees it. It is safe for concurrent use.
type usage struct {
	*ledger
	inFlight map[pool][]*resourceapi.DeviceRequestAllocationResult

	mu    sync.RWMutex
	pools map[pool]poolUsage
}

var _ allocator.Usage = &usage{}

// Pool is part of the allocator's interface.
func (u *usage) Pool(of structured.DeviceID) allocator.PoolUsage {
	p := poolOf(of)
	u.mu.RLock()
	found, known := u.pools[p]
	u.mu.RUnlock()
	if !known {
		found = u.keep(p, u.read(p))
	}
	if len(found) == 0 {
		return nil
	}
	return found
}

// keep returns what was read first.
func (u *usage) keep(p pool, read poolUsage) poolUsage {
	u.mu.Lock()
	defer u.mu.Unlock()
	found, known := u.pools[p]
	if !known {
		found = read
		u.pools[p] = read
	}
	return found
}

// read goes through the claims that hold devices of a pool.
func (u *usage) read(p pool) poolUsage {
	name := poolName(p.driver.String(), p.name.String())
	objects, err := u.claims.ByIndex(claimsByPool, name)
	if err != nil {
		panic(fmt.Sprintf("look up claims of pool %s: %v", name, err)) // There is no such index: a mistake in sharedBy.
	}
	if len(objects) == 0 && len(u.inFlight[p]) == 0 {
		return nil
	}
	found := poolUsage{}
	add := func(r *resourceapi.DeviceRequestAllocationResult) {
		if id := structured.MakeDeviceID(r.Driver, r.Pool, r.Device); poolOf(id) == p {
			found.add(id, r, u.shares)
		}
	}
	for _, object := range objects {
		if claim, ok := object.(*resourceapi.ResourceClaim); ok {
			eachHeld(claim, add)
		}
	}
	for _, r := range u.inFlight[p] {
		add(r)
	}
	return found
}

// poolUsage is what is allocated of the devices of a pool.
type poolUsage map[structured.DeviceID]allocator.DeviceUsage

// Device is part of the allocator's interface.
func (p poolUsage) Device(id structured.DeviceID) allocator.DeviceUsage { return p[id] }

// add enters what a claim holds. The same again makes no difference.
func (p poolUsage) add(id structured.DeviceID, r *resourceapi.DeviceRequestAllocationResult, shares bool) {
	u := p[id]
	if share := structured.MakeSharedDeviceID(id, r.ShareID); !shares || r.ShareID == nil {
		u.Alone = true
	} else if !slices.Contains(u.Shares, share) {
		u.Shares = append(u.Shares, share)
		if r.ConsumedCapacity != nil && u.Consumed == nil {
			u.Consumed = structured.ConsumedCapacity{}
		}
		u.Consumed.Add(structured.NewDeviceConsumedCapacity(id, r.ConsumedCapacity).ConsumedCapacity)
	}
	p[id] = u
}

// AllocatedState returns what the plugin takes for allocated, so that tests can compare it with what the
// SharedDRAManager gathers. It goes through all claims.
func (p *Plugin) AllocatedState() *structured.AllocatedState { return p.shared.ledger.state() }

func (l *ledger) state() *structured.AllocatedState {
	u := l.usage()
	pools := sets.KeySet(u.inFlight)
	for _, name := range l.claims.ListIndexFuncValues(claimsByPool) {
		driver, of, _ := strings.Cut(name, "/") // No driver has one in its name.
		pools.Insert(poolOf(structured.MakeDeviceID(driver, of, "")))
	}
	state := &structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	for p := range pools {
		for id, device := range u.read(p) {
			if device.Alone {
				state.AllocatedDevices.Insert(id)
			}
			state.AllocatedSharedDeviceIDs.Insert(device.Shares...)
			if device.Consumed != nil {
				state.AggregatedCapacity[id] = device.Consumed
			}
		}
	}
	return state
}
