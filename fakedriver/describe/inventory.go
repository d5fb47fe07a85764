package describe

import (
	"maps"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/affinity"
)

// Inventory is what a driver has to offer in a pool.
type Inventory struct {
	// CounterSets are the counters that devices consume from.
	CounterSets []resourceapi.CounterSet
	// Devices are published in this order, in which a scheduler tries them.
	Devices []resourceapi.Device
	// Affinity is what claims that share a device must agree on, by its name.
	Affinity map[string]affinity.Declaration
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

func (i *Inventory) declare(device string, declared affinity.Declaration) {
	if i.Affinity == nil {
		i.Affinity = map[string]affinity.Declaration{}
	}
	i.Affinity[device] = declared
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

// WithoutShared returns what can be offered where it cannot be published that
// several claims may hold a device at the same time: all other devices. A shared
// device must not be offered there at all. The first claim would get the entire
// device and keep out all others, without anybody having said so.
func (i *Inventory) WithoutShared() *Inventory {
	out := &Inventory{CounterSets: i.CounterSets}
	for _, device := range i.Devices {
		if isShared(&device) {
			continue
		}
		// That it is not shared cannot be published either.
		device.AllowMultipleAllocations = nil
		out.Devices = append(out.Devices, device)
	}
	return out
}

// Shared returns the names of the devices that several claims may hold at the
// same time.
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
