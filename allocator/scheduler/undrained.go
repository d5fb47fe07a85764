// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/cache"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/klog/v2"

	"github.com/draconform/draconform/allocator/internal/affinity"
	"github.com/draconform/draconform/internal/fault"
)

// undrained tracks the shared devices that stay unknown after the claim whose affinity values were unknown has been
// released. They stay unknown until all other claims on them are released too (KEP-5981, Restart reconstruction, step
// 6). It is the only state kept for claims that do not exist any more. A restart loses it, because the API server
// stores nothing about such claims.
//
// It processes the events of claims in order, so it knows which claims were on a device when a claim was released.
// The informer's cache may be ahead of it. holders compensates for that.
type undrained struct {
	affinityDevices func() ([]affinityDevice, error)

	mu sync.Mutex
	// claims are the claims with shares of devices. users are their UIDs by device.
	claims map[types.UID]*resourceapi.ResourceClaim
	users  map[structured.DeviceID]sets.Set[types.UID]
	// leftUnknown are the devices that a released claim left unknown.
	leftUnknown sets.Set[structured.DeviceID]
}

func newUndrained(affinityDevices func() ([]affinityDevice, error)) *undrained {
	return &undrained{
		affinityDevices: affinityDevices,
		claims:          map[types.UID]*resourceapi.ResourceClaim{},
		users:           map[structured.DeviceID]sets.Set[types.UID]{},
		leftUnknown:     sets.New[structured.DeviceID](),
	}
}

// handler returns event handlers for an informer of claims.
func (u *undrained) handler() cache.ResourceEventHandlerFuncs {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { u.observe(nil, object) },
		UpdateFunc: func(old, object any) { u.observe(old, object) },
		DeleteFunc: func(old any) {
			if unknown, ok := old.(cache.DeletedFinalStateUnknown); ok {
				old = unknown.Obj
			}
			u.observe(old, nil)
		},
	}
}

func (u *undrained) observe(old, object any) {
	before, _ := old.(*resourceapi.ResourceClaim)
	after, _ := object.(*resourceapi.ResourceClaim)
	u.mu.Lock()
	defer u.mu.Unlock()
	if before != nil {
		known := u.claims[before.UID]
		if known != nil && (after == nil || after.UID != before.UID || !sharedDevices(after).Equal(sharedDevices(known))) {
			u.remove(known)
		}
	}
	if after != nil && u.claims[after.UID] == nil {
		u.add(after)
	}
}

func (u *undrained) add(claim *resourceapi.ResourceClaim) {
	for id := range sharedDevices(claim) {
		u.claims[claim.UID] = claim
		if u.users[id] == nil {
			u.users[id] = sets.New[types.UID]()
		}
		u.users[id].Insert(claim.UID)
	}
}

// remove drops a claim. It records the devices that were unknown with it and that other claims still share.
func (u *undrained) remove(claim *resourceapi.ResourceClaim) {
	devices := sharedDevices(claim)
	if unknown, err := u.unknown(devices); err != nil {
		klog.Background().Error(err, "find out which devices are unknown", "claim", klog.KObj(claim))
	} else {
		u.leftUnknown.Insert(unknown...)
	}
	delete(u.claims, claim.UID)
	for id := range devices {
		if u.users[id].Delete(claim.UID); u.users[id].Len() == 0 {
			delete(u.users, id)
			u.leftUnknown.Delete(id)
		}
	}
}

// unknown returns the devices that several claims share and for which the affinity values of a claim are unknown or
// the values of claims conflict.
func (u *undrained) unknown(devices sets.Set[structured.DeviceID]) ([]structured.DeviceID, error) {
	together := devices.Clone()
	for id := range devices {
		if u.users[id].Len() < 2 {
			together.Delete(id)
		}
	}
	if together.Len() == 0 {
		return nil, nil
	}
	declared, err := u.affinityDevices()
	if err != nil {
		return nil, err
	}
	var found []structured.DeviceID
	for i := range declared {
		id := declared[i].id
		if !together.Has(id) {
			continue
		}
		var users []*resourceapi.ResourceClaim
		for uid := range u.users[id] {
			users = append(users, u.claims[uid])
		}
		if affinity.NewState(users).Lock(id, declared[i].keys).Unknown {
			found = append(found, id)
		}
	}
	return found, nil
}

// addTo adds placeholders to the holders of devices, for claims that do not exist any more but still affect the
// locks.
func (u *undrained) addTo(live *holders, devices []affinityDevice) {
	if fault.UnlocksUndrained {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for i := range devices {
		id := devices[i].id
		var gone []*resourceapi.ResourceClaim // They no longer hold the device in the cache; the event is pending.
		for uid := range u.users[id] {
			if !live.known[uid] {
				gone = append(gone, placeholder(id, u.claims[uid]))
			}
		}
		if len(gone) == u.users[id].Len() {
			continue // No claim is on the device, or only claims whose event is pending.
		}
		if u.leftUnknown.Has(id) {
			gone = append(gone, placeholder(id, nil))
		}
		live.claims = append(live.claims, gone...)
	}
}

// placeholder returns a claim that holds one device. It copies the results and affinity values of another claim. If of is
// nil, it states no values.
func placeholder(device structured.DeviceID, of *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	allocation := &resourceapi.AllocationResult{}
	if of == nil {
		allocation.Devices.Results = []resourceapi.DeviceRequestAllocationResult{{
			Driver: device.Driver.String(), Pool: device.Pool.String(), Device: device.Device.String(),
		}}
	} else {
		allocation.Devices.Config = of.Status.Allocation.Devices.Config
		eachHeld(of, func(r *resourceapi.DeviceRequestAllocationResult) {
			if structured.MakeDeviceID(r.Driver, r.Pool, r.Device) == device {
				allocation.Devices.Results = append(allocation.Devices.Results, *r)
			}
		})
	}
	return &resourceapi.ResourceClaim{Status: resourceapi.ResourceClaimStatus{Allocation: allocation}}
}

// sharedDevices returns the devices of which a claim holds shares.
func sharedDevices(claim *resourceapi.ResourceClaim) sets.Set[structured.DeviceID] {
	ids := sets.New[structured.DeviceID]()
	eachHeld(claim, func(r *resourceapi.DeviceRequestAllocationResult) {
		if r.ShareID != nil {
			ids.Insert(structured.MakeDeviceID(r.Driver, r.Pool, r.Device))
		}
	})
	return ids
}
