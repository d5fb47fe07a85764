// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"fmt"
	"strings"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/cache"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/fault"
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
			names = append(names, name) // The index accepts duplicates.
		}
	})
	if fault.HoldsFirstPoolOnly {
		return names[:min(1, len(names))], nil
	}
	return names, nil
}

func poolName(driver, pool string) string { return driver + "/" + pool }

// eachHeld calls f for the devices that a claim holds. Results with admin access do not hold a device.
func eachHeld(claim *resourceapi.ResourceClaim, f func(*resourceapi.DeviceRequestAllocationResult)) {
	if claim.Status.Allocation == nil {
		return
	}
	results := claim.Status.Allocation.Devices.Results
	for i := range results {
		if !ptr.Deref(results[i].AdminAccess, false) || fault.AdminHoldsDevices {
			f(&results[i])
		}
	}
}

// ledger is the allocated state of the cluster. An informer, which indexes claims by pool, and inFlight maintain
// it. Both are up to date when an event requeues pods. So a pod that failed because of a device that was freed in
// the meantime is requeued by the event of that release.
type ledger struct {
	claims   cache.Indexer
	inFlight *inFlight
	shares   bool // Devices may be shared (DRAConsumableCapacity). Otherwise a share takes all of its device.

	mu       sync.RWMutex
	readings map[pool]*reading
}

func newLedger(claims cache.Indexer, inFlight *inFlight, shares bool) *ledger {
	return &ledger{claims: claims, inFlight: inFlight, shares: shares, readings: map[pool]*reading{}}
}

// maxReadings is the number of cached pools at which the cache is cleared.
const maxReadings = 1 << 16

// reading is what the informer's claims hold of a pool. It is valid as long as the informer has the same claim
// objects. A changed claim is a different object.
type reading struct {
	claims sets.Set[any]
	found  poolUsage
}

// stored returns what the informer's claims hold of a pool. The result must not be changed.
func (l *ledger) stored(p pool) poolUsage {
	name := poolName(p.driver.String(), p.name.String())
	objects, err := l.claims.ByIndex(claimsByPool, name)
	if err != nil {
		panic(fmt.Sprintf("look up claims of pool %s: %v", name, err)) // The index does not exist: a bug in sharedBy.
	}
	if len(objects) == 0 {
		return nil
	}
	l.mu.RLock()
	last := l.readings[p]
	l.mu.RUnlock()
	if last != nil && last.claims.Len() == len(objects) && last.claims.HasAll(objects...) {
		return last.found
	}
	now := l.newReading(p, objects)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.readings) >= maxReadings {
		clear(l.readings) // This drops the pools that do not exist any more.
	}
	l.readings[p] = now
	return now.found
}

func (l *ledger) newReading(p pool, objects []any) *reading {
	now := &reading{claims: sets.New(objects...), found: poolUsage{}}
	for _, object := range objects {
		claim, ok := object.(*resourceapi.ResourceClaim)
		if ok && (!fault.ForgetsAllocationsAtRestart || !fault.Early(claim.CreationTimestamp.Time)) {
			eachHeld(claim, func(r *resourceapi.DeviceRequestAllocationResult) {
				if id := structured.MakeDeviceID(r.Driver, r.Pool, r.Device); poolOf(id) == p {
					now.found.add(id, r, l.shares)
				}
			})
		}
	}
	return now
}

// AllocatedState returns what the plugin considers allocated, so that tests can compare it with the state that the
// SharedDRAManager collects. It iterates over all claims.
func (p *Plugin) AllocatedState() *structured.AllocatedState { return p.shared.ledger.state() }

func (l *ledger) state() *structured.AllocatedState {
	u := l.usage()
	pools := sets.KeySet(u.inFlight)
	for _, name := range l.claims.ListIndexFuncValues(claimsByPool) {
		driver, of, _ := strings.Cut(name, "/") // The name of a driver contains no slash.
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
