package describe

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
)

// Validate returns an error for what the API would not take or a scheduler not
// use, however the inventory is spread over ResourceSlices: it breaks a limit of
// a device or a counter set (k8s.io/api/resource/v1, KEP-4815 "Limits"), has a
// name that is none, the same name twice, a device that consumes from a counter
// that does not exist, or an affinity for a device that is not shared. The error names the device or the counter set,
// and for a limit also the number.
func (i *Inventory) Validate() error {
	sets := map[string]resourceapi.CounterSet{}
	for _, set := range i.CounterSets {
		if _, ok := sets[set.Name]; ok {
			return fmt.Errorf("counter set %q: listed twice", set.Name)
		}
		sets[set.Name] = set
		if err := checkCounterSet(set); err != nil {
			return about(err, "counter set %q", set.Name)
		}
	}
	devices := map[string]bool{}
	for d := range i.Devices {
		device := &i.Devices[d]
		if devices[device.Name] {
			return fmt.Errorf("device %q: listed twice", device.Name)
		}
		devices[device.Name] = true
		if err := cmp.Or(checkDevice(device), checkReferences(device, sets)); err != nil {
			return about(err, "device %q", device.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(i.Affinity)) {
		device := i.Device(name)
		if device == nil {
			return fmt.Errorf("device %q: has a sharingAffinity and does not exist", name)
		}
		if err := checkAffinity(device, i.Affinity[name]); err != nil {
			return about(err, "device %q", name)
		}
	}
	return nil
}

func checkReferences(device *resourceapi.Device, sets map[string]resourceapi.CounterSet) error {
	for _, consumption := range device.ConsumesCounters {
		set, ok := sets[consumption.CounterSet]
		if !ok {
			return fmt.Errorf("consumes from unknown counter set %q", consumption.CounterSet)
		}
		for _, counter := range slices.Sorted(maps.Keys(consumption.Counters)) {
			if _, ok := set.Counters[counter]; !ok {
				return fmt.Errorf("consumes unknown counter %q of counter set %q", counter, set.Name)
			}
		}
	}
	return nil
}
