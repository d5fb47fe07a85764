package describe

import (
	resourceapi "k8s.io/api/resource/v1"
)

// Inventory is what a driver has to offer in a pool.
type Inventory struct {
	// CounterSets are the counters that devices consume from.
	CounterSets []resourceapi.CounterSet
	// Devices are published in this order, in which a scheduler tries them.
	Devices []resourceapi.Device
}

// Device returns the device with the given name, or nil.
func (i *Inventory) Device(name string) *resourceapi.Device {
	for d := range i.Devices {
		if i.Devices[d].Name == name {
			return &i.Devices[d]
		}
	}
	return nil
}

// WithoutCounters returns what can be offered where counters cannot be
// published and nothing would keep a scheduler from allocating two devices that
// overlap: devices that consume none, and of those that share a counter set the
// last one that takes all of it, which is the whole device.
func (i *Inventory) WithoutCounters() *Inventory {
	whole := map[string]string{}
	for _, set := range i.CounterSets {
		for _, device := range i.Devices {
			if takesAll(device, set) {
				whole[set.Name] = device.Name
			}
		}
	}
	out := &Inventory{}
	for _, device := range i.Devices {
		if len(device.ConsumesCounters) > 0 && whole[device.ConsumesCounters[0].CounterSet] != device.Name {
			continue
		}
		alone := device.DeepCopy()
		alone.ConsumesCounters = nil
		out.Devices = append(out.Devices, *alone)
	}
	return out
}

// takesAll tells whether a device consumes one counter set entirely, and no
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
