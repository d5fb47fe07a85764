// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package affinity

import (
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/fault"
)

// State is the active claims from which the locks of devices are reconstructed. Claims are not processed before the
// lock of a device is requested. It is safe for concurrent use.
type State struct {
	claims []*resourceapi.ResourceClaim

	once    sync.Once
	holders map[structured.DeviceID][]*Entry
	shares  map[structured.SharedDeviceID]bool
}

// NewState returns the state that results from allocated claims. The claims must not change afterwards.
func NewState(claims []*resourceapi.ResourceClaim) *State { return &State{claims: claims} }

// Lock is the result of the active claims of a device. The zero value is a clean device.
type Lock struct {
	// Unknown reports whether the values of a claim are unknown or claims contradict each other. No claim can join
	// such a device until all of its claims are released.
	Unknown bool
	// Values are the values of the claims, one for each key of the device. They are nil for a clean device.
	Values []string
}

// Lock reconstructs the lock of a device that declares the keys. It depends only on the active claims. The
// attributes of the device are ignored.
func (s *State) Lock(device structured.DeviceID, keys []string) Lock {
	if s == nil || fault.IgnoresLocks {
		return Lock{}
	}
	s.once.Do(s.gather)
	var lock Lock
	holders := s.holders[device]
	if fault.LocksWithoutDriver {
		holders = s.ofAnyDriver(device)
	}
	for _, entry := range holders {
		values, problem := entry.Values(keys)
		if problem.Kind != None {
			return Lock{Unknown: true}
		}
		if lock.Values == nil {
			lock.Values = values
			continue
		}
		for i := range values {
			if values[i] != lock.Values[i] && !fault.LocksToOneOfSeveralValues {
				return Lock{Unknown: true}
			}
		}
	}
	return lock
}

// ofAnyDriver returns the claims of the devices with this name in pools with the same name, as a fault sees them.
func (s *State) ofAnyDriver(device structured.DeviceID) (all []*Entry) {
	for id, holders := range s.holders {
		if id.Pool == device.Pool && id.Device == device.Device {
			all = append(all, holders...)
		}
	}
	return all
}

// Knows returns whether one of the claims holds the device.
func (s *State) Knows(device structured.DeviceID) bool {
	if s == nil {
		return false
	}
	s.once.Do(s.gather)
	return len(s.holders[device]) > 0
}

// KnowsShare returns whether one of the claims holds the share.
func (s *State) KnowsShare(share structured.SharedDeviceID) bool {
	if s == nil {
		return false
	}
	s.once.Do(s.gather)
	return s.shares[share]
}

// gather collects the claims of each device and share. Allocations with admin access are ignored.
func (s *State) gather() {
	s.holders = map[structured.DeviceID][]*Entry{}
	s.shares = map[structured.SharedDeviceID]bool{}
	for _, claim := range s.claims {
		if claim.Status.Allocation == nil {
			continue
		}
		devices := &claim.Status.Allocation.Devices
		for _, result := range devices.Results {
			if ptr.Deref(result.AdminAccess, false) {
				continue
			}
			var entry *Entry
			for _, config := range resourceclaim.ConfigForResult(devices.Config, result) {
				entry = entry.Add(&config.DeviceConfiguration)
			}
			id := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
			s.holders[id] = append(s.holders[id], entry)
			if result.ShareID != nil {
				s.shares[structured.MakeSharedDeviceID(id, result.ShareID)] = true
			}
		}
	}
}
