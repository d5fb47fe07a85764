// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"fmt"
	"maps"

	resourceapi "k8s.io/api/resource/v1"
)

// counterSet turns a tree of devices into one counter set, named after the
// root, and makes the devices consume from it.
//
// Every capacity of the root becomes a counter. Every device consumes an amount
// of each counter equal to its own capacity. Devices of the tree that compete
// for a capacity therefore exclude each other. The root consumes the entire
// set.
//
// These counters suffice if all other devices are leaves. A nested source needs
// counters of its own, in the same set. Without them, the root could have room
// for more parts of the source than the source has, or for the source in
// addition to one of its parts. All devices below the source consume from its
// counters, and the source consumes them entirely.
//
// A capacity of a nested source needs no counter in two cases: the source has
// the same amount as its own source, whose counter then has the same effect, or
// no device below consumes the capacity. The number of counters is kept low
// because a set may have at most 32.
func counterSet(root *flat) (resourceapi.CounterSet, error) {
	set := resourceapi.CounterSet{
		Name:     root.device.Name + "-counter-set",
		Counters: map[string]resourceapi.Counter{},
	}
	stands := map[string]string{} // what each counter stands for, used in errors
	tree := root.tree()
	for _, source := range tree {
		source.counters = map[resourceapi.QualifiedName]string{}
		for _, capacity := range source.capacities {
			if !source.needsCounter(capacity) {
				continue
			}
			name := counterName(string(capacity))
			if source != root {
				name = source.device.Name + "-" + name
			}
			what := fmt.Sprintf("%s of %q", capacity, source.written)
			if other, ok := stands[name]; ok {
				return set, fmt.Errorf("the counter %q would stand for both %s and %s", name, other, what)
			}
			stands[name] = what
			source.counters[capacity] = name
			set.Counters[name] = resourceapi.Counter{Value: source.amount(capacity)}
		}
	}
	for _, device := range tree {
		device.device.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{
			CounterSet: set.Name,
			Counters:   device.consumption(),
		}}
	}
	root.device.ConsumesCounters[0].Counters = maps.Clone(set.Counters)
	return set, nil
}

// needsCounter reports whether a capacity of a source must become a counter.
func (d *flat) needsCounter(capacity resourceapi.QualifiedName) bool {
	if d.source == nil {
		return true
	}
	has, above := d.amount(capacity), d.source.amount(capacity)
	if has.Cmp(above) == 0 {
		return false
	}
	for _, below := range d.tree()[1:] {
		if amount := below.amount(capacity); !amount.IsZero() {
			return true
		}
	}
	return false
}

// consumption returns what a device consumes from its own counters, if it has
// any, and from those of the devices above it.
func (d *flat) consumption() map[string]resourceapi.Counter {
	out := map[string]resourceapi.Counter{}
	for source := d; source != nil; source = source.source {
		for capacity, counter := range source.counters {
			if _, lists := d.device.Capacity[capacity]; lists {
				out[counter] = resourceapi.Counter{Value: d.amount(capacity)}
			}
		}
	}
	return out
}
