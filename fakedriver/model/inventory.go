package model

import (
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/fakedriver/describe"
)

// Inventory returns what a node with that many devices of the model has: a
// counter set for each that has parts, the parts of all, profile by profile and
// the smallest first, then the entire devices. A scheduler that takes the first
// device that fits keeps large ones free.
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

// ofOneProfile returns the first of the devices and those after it that have the
// same profile.
func ofOneProfile(devices []resourceapi.Device) []resourceapi.Device {
	n := 1
	for n < len(devices) && text(devices[n], AttributeProfile) == text(devices[0], AttributeProfile) {
		n++
	}
	return devices[:n]
}

// instance turns what belongs to the first device of a node into what belongs to
// another one.
func (m *Model) instance(described resourceapi.Device, node string, index int) resourceapi.Device {
	device := described.DeepCopy()
	device.Name = m.rename(device.Name, index)
	for i := range device.ConsumesCounters {
		device.ConsumesCounters[i].CounterSet = m.rename(device.ConsumesCounters[i].CounterSet, index)
	}
	m.identify(device, node, index)
	return *device
}

// affinity returns what the devices of a node demand, nil if nothing.
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

// rename returns the name that something of the first device has for another one.
func (m *Model) rename(name string, index int) string {
	return nth(m.kind, index) + strings.TrimPrefix(name, nth(m.kind, 0))
}

// nth returns the name of an entire device.
func nth(kind string, index int) string { return fmt.Sprintf("%s-%d", kind, index) }
