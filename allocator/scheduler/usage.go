// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"maps"
	"slices"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	draapi "k8s.io/dynamic-resource-allocation/api"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator"
)

type pool struct{ driver, name draapi.UniqueString }

func poolOf(id structured.DeviceID) pool { return pool{id.Driver, id.Pool} }

// usage is the allocated state for one attempt. It is safe for concurrent use.
type usage struct {
	ledger   *ledger
	inFlight map[pool][]*resourceapi.DeviceRequestAllocationResult

	mu    sync.RWMutex
	pools map[pool]poolUsage
}

var _ allocator.Usage = &usage{}

// usage returns the allocated state for one scheduling attempt. Pools are read on first use and then stay the same. A
// claim that is in flight now counts until the attempt ends, even if its allocation is abandoned.
func (l *ledger) usage() *usage {
	u := &usage{ledger: l, inFlight: map[pool][]*resourceapi.DeviceRequestAllocationResult{}, pools: map[pool]poolUsage{}}
	// The claims in flight are read before the informer's cache. A claim that arrives there in the meantime is
	// counted by one of the two, or by both, which has the same result.
	for _, claim := range l.inFlight.list() {
		eachHeld(claim, func(r *resourceapi.DeviceRequestAllocationResult) {
			p := poolOf(structured.MakeDeviceID(r.Driver, r.Pool, r.Device))
			u.inFlight[p] = append(u.inFlight[p], r)
		})
	}
	return u
}

// Pool implements the allocator's interface.
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

// keep stores the state of a pool, unless another call has stored it already. It returns the stored state.
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

// read merges what the informer's claims and the claims in flight hold of a pool.
func (u *usage) read(p pool) poolUsage {
	found := u.ledger.stored(p)
	if len(u.inFlight[p]) == 0 {
		return found
	}
	found = maps.Clone(found)
	if found == nil {
		found = poolUsage{}
	}
	changed := sets.New[structured.DeviceID]()
	for _, r := range u.inFlight[p] {
		id := structured.MakeDeviceID(r.Driver, r.Pool, r.Device)
		if !changed.Has(id) {
			changed.Insert(id)
			found[id] = copyOf(found[id])
		}
		found.add(id, r, u.ledger.shares)
	}
	return found
}

// poolUsage is the allocated state of the devices of a pool.
type poolUsage map[structured.DeviceID]allocator.DeviceUsage

// Device implements the allocator's interface.
func (p poolUsage) Device(id structured.DeviceID) allocator.DeviceUsage { return p[id] }

// add adds a result of a claim. Adding the same result again has no effect.
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

// copyOf returns a copy that can be changed without affecting the original.
func copyOf(u allocator.DeviceUsage) allocator.DeviceUsage {
	u.Shares = slices.Clone(u.Shares)
	if u.Consumed != nil {
		u.Consumed = u.Consumed.Clone()
	}
	return u
}
