// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package pools computes the view that a node has of ResourceSlices: the pools and their order, whether they are
// complete and valid, the devices and their order, and the counters that devices share.
//
// The view depends only on the slices and the node, not on allocations, so it is computed once and shared. All
// results are read-only.
package pools

import (
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/internal/fault"
)

// Slice is one ResourceSlice and its computed properties. A ResourceSlice is identified by its pointer and must not
// change.
type Slice struct {
	API *resourceapi.ResourceSlice

	facts   sync.Once
	flags   []Flags // One per word of devices.
	groups  bool
	where   sync.Once
	nodes   selection   // If the slice has a node selection.
	devices []selection // If each device has its own.

	mu      sync.RWMutex
	columns map[any]any
	ids     []structured.DeviceID
}

// Flags are properties of up to 64 consecutive devices, one bit per device.
type Flags struct {
	Shared   uint64 // allowMultipleAllocations is true.
	Binding  uint64 // Has binding conditions.
	Consumes uint64 // Consumes counters.
	Tainted  uint64 // Has a taint with the effect NoSchedule or NoExecute.
	Capacity uint64 // Has a capacity.
}

// Len returns the number of devices.
func (s *Slice) Len() int { return len(s.API.Spec.Devices) }

// Words returns the number of words of the devices. A slice always starts at a new word.
func (s *Slice) Words() int { return bits.Words(s.Len()) }

// Valid returns the bits of word w that represent devices.
func (s *Slice) Valid(w int) uint64 {
	if fault.SeesFirstDevicesOnly && w > 0 {
		return 0
	}
	return bits.Low(s.Len() - w*bits.WordSize)
}

// Flags returns the properties of the devices of word w.
func (s *Slice) Flags(w int) Flags {
	s.facts.Do(s.scan)
	return s.flags[w]
}

func (s *Slice) scan() {
	s.flags = make([]Flags, s.Words())
	for i := range s.API.Spec.Devices {
		device := &s.API.Spec.Devices[i]
		w, bit := bits.Bit(i)
		f := &s.flags[w]
		if device.AllowMultipleAllocations != nil && (*device.AllowMultipleAllocations || fault.SharesWhatStates) {
			f.Shared |= bit
		}
		if len(device.BindingConditions) > 0 {
			f.Binding |= bit
		}
		if len(device.Capacity) > 0 {
			f.Capacity |= bit
		}
		if len(device.ConsumesCounters) > 0 {
			f.Consumes |= bit
			s.groups = s.groups || declaresGroups(device)
		}
		if repels(device) {
			f.Tainted |= bit
		}
	}
}

func declaresGroups(device *resourceapi.Device) bool {
	for i := range device.ConsumesCounters {
		if len(device.ConsumesCounters[i].CompatibilityGroups) > 0 {
			return true
		}
	}
	return false
}

func repels(device *resourceapi.Device) bool {
	for i := range device.Taints {
		if Repels(&device.Taints[i]) {
			return true
		}
	}
	return false
}

// Repels returns whether a taint prevents allocation unless it is tolerated. Other effects, known or unknown, are
// ignored (API: DeviceTaint.Effect).
func Repels(taint *resourceapi.DeviceTaint) bool {
	switch taint.Effect {
	case resourceapi.DeviceTaintEffectNoSchedule:
		return true
	case resourceapi.DeviceTaintEffectNoExecute:
		return !fault.IgnoresNoExecute
	case resourceapi.DeviceTaintEffectNone:
	}
	return fault.HeedsOtherEffects
}

// usesGroups returns whether a device declares compatibility groups.
func (s *Slice) usesGroups() bool {
	s.facts.Do(s.scan)
	return s.groups
}

// ID returns the ID of device i as in AllocatedState.
func (s *Slice) ID(i int) structured.DeviceID {
	s.mu.RLock()
	ids := s.ids
	s.mu.RUnlock()
	if ids == nil {
		ids = s.makeIDs()
	}
	return ids[i]
}

// IDs returns the IDs of all devices.
func (s *Slice) IDs() []structured.DeviceID {
	s.mu.RLock()
	ids := s.ids
	s.mu.RUnlock()
	if ids == nil {
		ids = s.makeIDs()
	}
	return ids
}

func (s *Slice) makeIDs() []structured.DeviceID {
	ids := make([]structured.DeviceID, s.Len())
	if len(ids) > 0 {
		ids[0] = structured.MakeDeviceID(s.API.Spec.Driver, s.API.Spec.Pool.Name, s.API.Spec.Devices[0].Name)
	}
	for i := 1; i < len(ids); i++ {
		ids[i] = ids[0]
		ids[i].Device = uniqueName(s.API.Spec.Devices[i].Name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids = ids
	return ids
}

// Column returns the value stored for the slice under key. The first call creates it with create. The value is kept
// as long as the slice.
func (s *Slice) Column(key any, create func() any) any {
	s.mu.RLock()
	column, ok := s.columns[key]
	s.mu.RUnlock()
	if ok {
		return column
	}
	fresh := create()
	s.mu.Lock()
	defer s.mu.Unlock()
	if column, ok := s.columns[key]; ok {
		return column
	}
	if s.columns == nil {
		s.columns = make(map[any]any, 2)
	}
	s.columns[key] = fresh
	return fresh
}
