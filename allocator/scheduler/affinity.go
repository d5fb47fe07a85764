package scheduler

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/internal/affinity"
)

// demanding is a device that declares a sharing affinity (KEP-5981).
type demanding struct {
	id   structured.DeviceID
	name string // In the index of claims.
	keys []string
}

// demandingDevices returns the devices that claims can share only if they state the same values. declared is true even
// if a declaration cannot be read: nobody gets the devices of that slice.
func demandingDevices(slices []*resourceapi.ResourceSlice) (devices []demanding, declared bool) {
	for _, slice := range slices {
		d := affinity.Read(slice)
		declared = declared || d != nil
		if d == nil || d.Err != nil {
			continue
		}
		for i, keys := range d.Keys {
			if len(keys) > 0 {
				id := structured.MakeDeviceID(slice.Spec.Driver, slice.Spec.Pool.Name, slice.Spec.Devices[i].Name)
				devices = append(devices, demanding{id, id.String(), keys})
			}
		}
	}
	return devices, declared
}

// demanding returns the devices with a sharing affinity that are published now.
func (s *shared) demanding() ([]demanding, error) {
	list, err := s.dra.ResourceSlices().ListWithDeviceTaintRules()
	if err != nil {
		return nil, fmt.Errorf("list resource slices: %w", err)
	}
	return s.published.current(list).demanding, nil
}

// holders returns the claims that lock devices, so a lock is there as soon as Reserve has decided for its claim, and is
// gone with the claim's allocation. Of claims that are gone nothing is remembered but that they left devices unknown.
//
// It must be called after it was found out what is allocated of the devices. The claims in flight come first: one that arrives meanwhile is
// in the informer's cache then. A claim that was released meanwhile leaves its devices with unknown values; the event
// of the release brings back the pods that meet them.
func (s *shared) holders(devices []demanding) ([]*resourceapi.ResourceClaim, error) {
	var found holders
	for _, claim := range s.inFlight.list() {
		found.add(claim)
	}
	for i := range devices {
		if err := found.addStored(s.claims, devices[i].name); err != nil {
			return nil, err
		}
	}
	s.undrained.addTo(&found, devices)
	return found.claims, nil
}

// lockedDevices returns the devices that have shares. Whoever gets another share agrees with those who have one.
func lockedDevices(devices []demanding, allocated allocator.Usage) sets.Set[structured.DeviceID] {
	locked := sets.New[structured.DeviceID]()
	for i := range devices {
		if pool := allocated.Pool(devices[i].id); pool != nil && len(pool.Device(devices[i].id).Shares) > 0 {
			locked.Insert(devices[i].id)
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
