// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"maps"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/affinity"
)

// Inventory is the content of a driver's pool: devices, counter sets and
// declarations of sharing affinity.
type Inventory struct {
	// CounterSets are the counter sets that devices consume from.
	CounterSets []resourceapi.CounterSet
	// Devices are published in this order. A scheduler tries them in the same
	// order.
	Devices []resourceapi.Device
	// Affinity holds the declarations of sharing affinity by device name.
	Affinity map[string]affinity.Declaration
}

// Device returns the device with the given name, or nil if there is none.
func (i *Inventory) Device(name string) *resourceapi.Device {
	for d := range i.Devices {
		if i.Devices[d].Name == name {
			return &i.Devices[d]
		}
	}
	return nil
}

func (i *Inventory) declare(device string, declared affinity.Declaration) {
	if i.Affinity == nil {
		i.Affinity = map[string]affinity.Declaration{}
	}
	i.Affinity[device] = declared
}

// WithoutCounters returns the inventory for a cluster without support for
// counters, where a scheduler could allocate two devices that overlap. The
// inventory contains the devices that consume no counters.
// Of the devices that share a counter set, it contains the last one that
// consumes the entire set, which is the whole device.
func (i *Inventory) WithoutCounters() *Inventory {
	whole := map[string]string{}
	for _, set := range i.CounterSets {
		for _, device := range i.Devices {
			if takesAll(device, set) {
				whole[set.Name] = device.Name
			}
		}
	}
	out := &Inventory{Affinity: maps.Clone(i.Affinity)}
	for _, device := range i.Devices {
		if len(device.ConsumesCounters) > 0 && whole[device.ConsumesCounters[0].CounterSet] != device.Name {
			delete(out.Affinity, device.Name)
			continue
		}
		alone := device.DeepCopy()
		alone.ConsumesCounters = nil
		out.Devices = append(out.Devices, *alone)
	}
	return out
}

// takesAll reports whether a device consumes one counter set entirely and no
// other.
func takesAll(device resourceapi.Device, set resourceapi.CounterSet) bool {
	if len(device.ConsumesCounters) != 1 || device.ConsumesCounters[0].CounterSet != set.Name {
		return false
	}
	for name, counter := range set.Counters {
		if taken := device.ConsumesCounters[0].Counters[name]; taken.Value.Cmp(counter.Value) != 0 {
			return false
		}
	}
	return true
}

// WithoutShared returns the inventory for a cluster without support for
// allowMultipleAllocations. It contains all devices that are not shared. A
// shared device must not be published in such a cluster, because the scheduler
// would allocate the entire device to the first claim and no other claim could
// use it.
func (i *Inventory) WithoutShared() *Inventory {
	out := &Inventory{CounterSets: i.CounterSets}
	for _, device := range i.Devices {
		if isShared(&device) {
			continue
		}
		// The cluster does not support the field, even if it is false.
		device.AllowMultipleAllocations = nil
		out.Devices = append(out.Devices, device)
	}
	return out
}

// Shared returns the names of the devices that allow multiple allocations.
func (i *Inventory) Shared() []string {
	var names []string
	for d := range i.Devices {
		if isShared(&i.Devices[d]) {
			names = append(names, i.Devices[d].Name)
		}
	}
	return names
}

func isShared(device *resourceapi.Device) bool {
	return ptr.Deref(device.AllowMultipleAllocations, false)
}
