package describe

import (
	"fmt"
	"maps"

	resourceapi "k8s.io/api/resource/v1"
)

// counterSet turns a tree of devices into one counter set, named after the
// root, and makes the devices consume from it.
//
// Every capacity of the root is a counter. Every device consumes of those what
// it has itself, so that all devices of the tree that compete for something
// exclude each other. The root consumes the entire set.
//
// That is enough if all others are leaves. A source among them needs counters of
// its own, in the same set, because the root may have room for more of its parts
// than the source has, and for the source beside one of its parts: all below the
// source consume from its counters too, and the source consumes them entirely.
// A capacity of which the source has as much as its own source needs no counter,
// that of its source does the same, and neither does one that nothing below
// consumes. Counters are scarce: there may be 32 in a set.
func counterSet(root *flat) (resourceapi.CounterSet, error) {
	set := resourceapi.CounterSet{
		Name:     root.device.Name + "-counter-set",
		Counters: map[string]resourceapi.Counter{},
	}
	stands := map[string]string{} // for what a counter stands, in errors
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

// needsCounter tells whether a source's capacity must be a counter.
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

// consumption returns what a device takes from its own counters, if it has any,
// and from those of the devices above.
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
