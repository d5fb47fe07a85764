package scheduler

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/internal/affinity"
)

// affinityDeclared tells whether a device may demand that claims which share it state the same values (KEP-5981).
func affinityDeclared(slices []*resourceapi.ResourceSlice) bool {
	for _, slice := range slices {
		if _, ok := slice.Annotations[allocator.AffinityAnnotation]; ok {
			return true
		}
	}
	return false
}

// holders returns the claims that lock devices: nothing is remembered but them, so a lock is there as soon as Reserve
// has decided for its claim, is gone with the claim's allocation, and is the same after a restart.
//
// It must be called after the allocated state was gathered. The claims in flight come first: one that lands meanwhile is
// among those listed then. A claim that was released meanwhile leaves its devices with unknown values; the event of
// the release brings back the pods that meet them.
func (s *shared) holders() ([]*resourceapi.ResourceClaim, error) {
	holders := s.inFlight.list()
	claims, err := s.dra.ResourceClaims().List()
	if err != nil {
		return nil, fmt.Errorf("list resource claims: %w", err)
	}
	for _, claim := range claims {
		if claim.Status.Allocation != nil {
			holders = append(holders, claim)
		}
	}
	return holders, nil
}

// lockedDevices returns the devices that demand a sharing affinity and have shares. Whoever gets another share agrees
// with those who have one.
func lockedDevices(slices []*resourceapi.ResourceSlice, state *structured.AllocatedState) sets.Set[structured.DeviceID] {
	inUse := sets.New[structured.DeviceID]()
	for share := range state.AllocatedSharedDeviceIDs {
		inUse.Insert(share.GetDeviceID())
	}
	locked := sets.New[structured.DeviceID]()
	for _, slice := range slices {
		declared := affinity.Read(slice)
		if declared == nil || declared.Err != nil {
			continue
		}
		for i := range slice.Spec.Devices {
			id := structured.MakeDeviceID(slice.Spec.Driver, slice.Spec.Pool.Name, slice.Spec.Devices[i].Name)
			if len(declared.Keys[i]) > 0 && inUse.Has(id) {
				locked.Insert(id)
			}
		}
	}
	return locked
}

// joined returns how many devices of an allocation are shared with claims that state the same values.
func (a *attempt) joined(allocation *resourceapi.AllocationResult) int64 {
	var n int64
	for i := range allocation.Devices.Results {
		r := &allocation.Devices.Results[i]
		if a.locked.Has(structured.MakeDeviceID(r.Driver, r.Pool, r.Device)) {
			n++
		}
	}
	return n
}
