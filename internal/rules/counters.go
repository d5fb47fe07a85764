// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"iter"
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Counter identifies a counter of a pool.
type Counter struct{ Set, Name string }

// Consumption iterates over the counters from which a device consumes, with the
// amounts (KEP-4815; API Device.consumesCounters). An allocated device consumes
// them once, however many allocations share it (KEP-5075).
func Consumption(device *resourceapi.Device) iter.Seq2[Counter, resource.Quantity] {
	return func(yield func(Counter, resource.Quantity) bool) {
		for _, consumption := range device.ConsumesCounters {
			for name, counter := range consumption.Counters {
				if !yield(Counter{consumption.CounterSet, name}, counter.Value) {
					return
				}
			}
		}
	}
}

// Overdrawn returns the counters of which the devices consume more than there
// is, and by how much.
func Overdrawn(all iter.Seq[resourceapi.CounterSet], devices []*resourceapi.Device) map[Counter]resource.Quantity {
	excess := map[Counter]resource.Quantity{}
	for set := range all {
		for name, counter := range set.Counters {
			value := counter.Value.DeepCopy()
			value.Neg()
			excess[Counter{set.Name, name}] = value
		}
	}
	for _, device := range devices {
		for counter, amount := range Consumption(device) {
			sum := excess[counter]
			sum.Add(amount)
			excess[counter] = sum
		}
	}
	maps.DeleteFunc(excess, func(_ Counter, q resource.Quantity) bool { return q.Sign() <= 0 })
	return excess
}

// MayJoin reports whether chosen devices may be allocated in addition to the
// allocated ones, given the compatibility groups of all devices that consume
// from one counter set. The devices must have a group in common, or none of
// them has a group (KEP-5963; API
// DeviceCounterConsumption.compatibilityGroups).
//
// A change of the slices may have made the allocated devices incompatible. The
// KEP does not specify that case, and any devices may be chosen then.
func MayJoin(allocated, chosen [][]string) bool {
	return len(chosen) == 0 || !compatible(allocated) || compatible(slices.Concat(allocated, chosen))
}

func compatible(groups [][]string) bool {
	common, grouped := sets.Set[string]{}, false
	for i, own := range groups {
		grouped = grouped || len(own) > 0
		if i == 0 {
			common.Insert(own...)
		}
		common = common.Intersection(sets.New(own...))
	}
	return !grouped || common.Len() > 0
}

// GroupsOn returns the compatibility groups of each device that consumes from a
// counter set.
func GroupsOn(set string, devices []*resourceapi.Device) [][]string {
	var groups [][]string
	for _, device := range devices {
		for _, consumption := range device.ConsumesCounters {
			if consumption.CounterSet == set {
				groups = append(groups, consumption.CompatibilityGroups)
			}
		}
	}
	return groups
}
