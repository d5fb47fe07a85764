// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/internal/affinity"
)

// affinityDevice is a device that declares a sharing affinity (KEP-5981).
type affinityDevice struct {
	id   structured.DeviceID
	name string // The key in the index of claims by device.
	keys []string
}

// devicesWithAffinity returns the devices that claims can share only if they state the same affinity values. declared is
// also true if a declaration cannot be parsed; the devices of that slice are not allocated to any claim.
func devicesWithAffinity(slices []*resourceapi.ResourceSlice) (devices []affinityDevice, declared bool) {
	for _, slice := range slices {
		d := affinity.Read(slice)
		declared = declared || d != nil
		if d == nil || d.Err != nil {
			continue
		}
		for i, keys := range d.Keys {
			if len(keys) > 0 {
				id := structured.MakeDeviceID(slice.Spec.Driver, slice.Spec.Pool.Name, slice.Spec.Devices[i].Name)
				devices = append(devices, affinityDevice{id, id.String(), keys})
			}
		}
	}
	return devices, declared
}

// affinityDevices returns the published devices with a sharing affinity.
func (s *shared) affinityDevices() ([]affinityDevice, error) {
	list, err := s.dra.ResourceSlices().ListWithDeviceTaintRules()
	if err != nil {
		return nil, fmt.Errorf("list resource slices: %w", err)
	}
	return s.published.current(list).affinityDevices, nil
}

// holders returns the claims that lock devices. A lock exists as soon as Reserve has chosen an allocation for the
// claim, and ends when the claim is deallocated or deleted. The only state kept for deleted claims is which devices
// they left unknown.
//
// holders must be called after the allocated state of the devices was read. It reads the claims in flight first: a
// claim that is stored in the meantime is then found in the informer's cache. A claim that was released in the
// meantime leaves its devices with unknown values. The event of that release requeues the pods that were rejected
// because of it.
func (s *shared) holders(devices []affinityDevice) ([]*resourceapi.ResourceClaim, error) {
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

// lockedDevices returns the devices that have shares. A claim that gets another share states the same values as the
// claims that hold the existing ones.
func lockedDevices(devices []affinityDevice, allocated allocator.Usage) sets.Set[structured.DeviceID] {
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
