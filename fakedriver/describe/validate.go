// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
)

// Validate returns an error if the API would reject the inventory or a
// scheduler could not use it, regardless of how it is distributed over
// ResourceSlices. It checks the limits of devices and counter sets
// (k8s.io/api/resource/v1, KEP-4815 "Limits"), invalid and duplicate names,
// references to counters that do not exist, and a sharing affinity on a device
// that is not shared. The error names the device or the counter set. For a
// limit, it also states the number.
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
