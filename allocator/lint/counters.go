// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"iter"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/draconform/draconform/internal/rules"
)

// consumption is what a device consumes of one counter set.
type consumption struct {
	*resourceapi.DeviceCounterConsumption
	pool   *rules.Pool
	device *resourceapi.Device
	// set is nil if a complete pool does not define it.
	set *resourceapi.CounterSet
}

// consumptionsOf iterates over the consumptions of the devices in current slices. In an incomplete pool it skips
// consumptions whose counter set is missing, because a missing slice may define it.
func (p *pass) consumed() iter.Seq2[place, consumption] {
	return func(yield func(place, consumption) bool) {
		for _, pool := range p.pools {
			for at, c := range consumptionsOf(pool) {
				if !yield(at, c) {
					return
				}
			}
		}
	}
}

func consumptionsOf(l *rules.Pool) iter.Seq2[place, consumption] {
	return func(yield func(place, consumption) bool) {
		known, complete := setsOf(l), l.Missing() == 0
		for at, device := range devicesOf(l.Slices) {
			for i := range device.ConsumesCounters {
				c := consumption{&device.ConsumesCounters[i], l, device, known[device.ConsumesCounters[i].CounterSet]}
				if c.set == nil && !complete {
					continue
				}
				if !yield(at.child("consumesCounters").index(i), c) {
					return
				}
			}
		}
	}
}

// setsOf returns the counter sets of the pool by name. Of several with the same name it returns the first.
func setsOf(l *rules.Pool) map[string]*resourceapi.CounterSet {
	byName := map[string]*resourceapi.CounterSet{}
	for _, set := range counterSetsOf(l.Slices) {
		if byName[set.Name] == nil {
			byName[set.Name] = set
		}
	}
	return byName
}

// exceeds returns the first counter of which the device consumes more than the set has, or "" if there is
// none.
func (c consumption) exceeds() string {
	if c.set == nil {
		return ""
	}
	for _, name := range sorted(c.Counters) {
		if has, ok := c.set.Counters[name]; ok {
			if wants := c.Counters[name].Value; wants.Cmp(has.Value) > 0 {
				return name
			}
		}
	}
	return ""
}

func counterNegative(p *pass) {
	for at, counters := range p.counters() {
		for _, name := range sorted(counters) {
			if value := counters[name].Value; value.Sign() < 0 {
				p.report(at.key(name), "is %s, below 0", &value)
			}
		}
	}
}

func counterUnreachable(p *pass) {
	for at, c := range p.consumed() {
		if name := c.exceeds(); name != "" {
			wants, has := c.Counters[name].Value, c.set.Counters[name].Value
			p.report(at.child("counters").key(name), "device %s consumes %s of counter %s, of which counter set %s has %s: it can never be allocated",
				c.device.Name, &wants, name, c.CounterSet, &has)
		}
	}
}

func counterSetUnused(p *pass) {
	for _, pool := range p.pools {
		if pool.Missing() != 0 {
			continue
		}
		used := sets.New[string]()
		for _, c := range consumptionsOf(pool) {
			used.Insert(c.CounterSet)
		}
		for at, set := range counterSetsOf(pool.Slices) {
			if !used.Has(set.Name) {
				p.report(at, "no device of pool %s consumes from counter set %s", pool.Name, set.Name)
			}
		}
	}
}
