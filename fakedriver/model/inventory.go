// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/fakedriver/describe"
)

// Inventory returns the inventory of a node with count devices of the model. It
// contains a counter set for each device with partitions, the partitions of all
// devices, ordered by profile with the smallest first, and then the entire
// devices. This order keeps large devices free when a scheduler takes the first
// device that fits.
func (m *Model) Inventory(node string, count int) *describe.Inventory {
	inventory := &describe.Inventory{}
	for index := range count {
		for _, set := range m.described.CounterSets {
			set := set.DeepCopy()
			set.Name = m.rename(set.Name, index)
			inventory.CounterSets = append(inventory.CounterSets, *set)
		}
	}
	for rest := m.described.Devices; len(rest) > 0; {
		same := ofOneProfile(rest)
		for index := range count {
			for _, device := range same {
				inventory.Devices = append(inventory.Devices, m.instance(device, node, index))
			}
		}
		rest = rest[len(same):]
	}
	inventory.Affinity = m.affinity(count)
	return inventory
}

// ofOneProfile returns the first device and the devices directly after it with
// the same profile.
func ofOneProfile(devices []resourceapi.Device) []resourceapi.Device {
	n := 1
	for n < len(devices) && text(devices[n], AttributeProfile) == text(devices[0], AttributeProfile) {
		n++
	}
	return devices[:n]
}

// instance converts a device of the node's first card into the corresponding
// device of the card with the given index.
func (m *Model) instance(described resourceapi.Device, node string, index int) resourceapi.Device {
	device := described.DeepCopy()
	device.Name = m.rename(device.Name, index)
	for i := range device.ConsumesCounters {
		device.ConsumesCounters[i].CounterSet = m.rename(device.ConsumesCounters[i].CounterSet, index)
	}
	m.identify(device, node, index)
	return *device
}

// affinity returns the declarations of sharing affinity for the devices of a
// node, nil if there are none.
func (m *Model) affinity(count int) map[string]affinity.Declaration {
	if len(m.described.Affinity) == 0 {
		return nil
	}
	declared := map[string]affinity.Declaration{}
	for index := range count {
		for device, declaration := range m.described.Affinity {
			declared[m.rename(device, index)] = declaration
		}
	}
	return declared
}

// rename converts a name that belongs to the device with index 0 into the name
// for the device with the given index.
func (m *Model) rename(name string, index int) string {
	return nth(m.kind, index) + strings.TrimPrefix(name, nth(m.kind, 0))
}

// nth returns the name of the entire device with the given index.
func nth(kind string, index int) string { return fmt.Sprintf("%s-%d", kind, index) }
