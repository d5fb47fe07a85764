// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"maps"
	"slices"
	"strconv"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/draconform/draconform/internal/fault"
)

// inFlight are the claims whose allocation is not in the informer's cache yet: reserved are those that Reserve has
// allocated, with their future status, and stored are those that PreBind has written. The SharedDRAManager counts
// their devices, but does not return which claims hold them.
type inFlight struct {
	informer cache.Indexer

	mu       sync.Mutex
	reserved map[types.UID]*resourceapi.ResourceClaim
	stored   map[types.UID]*resourceapi.ResourceClaim
}

func newInFlight(informer cache.Indexer) *inFlight {
	return &inFlight{
		informer: informer,
		reserved: map[types.UID]*resourceapi.ResourceClaim{},
		stored:   map[types.UID]*resourceapi.ResourceClaim{},
	}
}

// add adds a claim that Reserve has allocated.
func (f *inFlight) add(claim *resourceapi.ResourceClaim) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reserved[claim.UID] = claim
}

// remove removes a reserved claim. stored is the claim as the API server stored it, or nil if the allocation was
// abandoned.
func (f *inFlight) remove(uid types.UID, stored *resourceapi.ResourceClaim) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if claim := f.reserved[uid]; stored == nil && claim != nil && keepsInFlight(claim) {
		return
	}
	delete(f.reserved, uid)
	if stored != nil {
		f.stored[stored.UID] = stored
	}
	f.dropArrived()
}

func (f *inFlight) dropArrived() {
	if fault.KeepsReleasedDevices {
		return
	}
	maps.DeleteFunc(f.stored, func(_ types.UID, claim *resourceapi.ResourceClaim) bool { return f.arrived(claim) })
}

// arrived reports whether the informer has the claim as it was stored, or a later version. It had an earlier version
// when the claim was stored, so a claim that it does not have was deleted.
func (f *inFlight) arrived(claim *resourceapi.ResourceClaim) bool {
	object, ok, err := f.informer.GetByKey(claim.Namespace + "/" + claim.Name)
	known, isClaim := object.(*resourceapi.ResourceClaim)
	if err != nil || !ok || !isClaim || known.UID != claim.UID {
		return true
	}
	return version(known) >= version(claim)
}

func version(claim *resourceapi.ResourceClaim) uint64 {
	n, err := strconv.ParseUint(claim.ResourceVersion, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// list returns the claims. A caller that also reads the informer's cache has to read it afterwards, so that it misses
// no claim.
func (f *inFlight) list() []*resourceapi.ResourceClaim {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dropArrived()
	if fault.ForgetsDecisions {
		return slices.Collect(maps.Values(f.stored))
	}
	return slices.AppendSeq(slices.Collect(maps.Values(f.reserved)), maps.Values(f.stored))
}
