// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pools

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/internal/number"
	"github.com/draconform/draconform/internal/fault"
)

// Core is the counters of a pool and their consumers (KEP-4815). It covers all slices of the pool that are taken
// into account, whether a node sees them or not.
type Core struct {
	Counters []Counter
	Sets     int // The number of counter sets. Counter.Set is less than Sets.
	// Invalid describes the pool validation that failed. It is empty if none failed.
	Invalid string

	names     map[setName]int
	counters  map[counterName]int
	consuming map[*Slice][]Consumption // One entry per device.
	order     []*Slice                 // The keys of consuming by name.

	sumsOnce sync.Once
	sums     Sums
}

// Counter is one counter of a counter set.
type Counter struct {
	Set           int
	SetName, Name string
	Total         number.N
}

// Consumption is the consumption of one device.
type Consumption struct {
	Deltas []Delta
	Groups []Group
}

// Delta is an amount of one counter.
type Delta struct {
	Counter int
	Amount  number.N
}

// Group is the compatibility groups that a device declares for one counter set.
type Group struct {
	Set   int
	Names []string
}

// setName is the name of a counter set. The slice is nil unless counters apply only to devices in the same slice.
type setName struct {
	slice *Slice
	name  string
}

type counterName struct {
	set  int
	name string
}

// core returns the counters over the members of the pool. seen is the subset of members that the node sees. The
// caller must hold the lock.
func (p *Pool) core(seen, members []*Slice) *Core {
	// Nodes that see different slices of the same generation share its counters.
	key := "generation " + strconv.FormatInt(seen[0].API.Spec.Pool.Generation, 10)
	if len(seen) == len(members) {
		key = "seen " + p.key(seen)
	}
	if core := p.cores[key]; core != nil {
		return core
	}
	core := newCore(&p.settings, members)
	if p.cores == nil {
		p.cores = map[string]*Core{}
	}
	p.cores[key] = core
	return core
}

func newCore(settings *Settings, list []*Slice) *Core {
	c := &Core{names: map[setName]int{}, counters: map[counterName]int{}, consuming: map[*Slice][]Consumption{}}
	for _, slice := range list {
		var scope *Slice
		if !settings.isCounterSlice(slice) {
			scope = slice
		}
		for i := range slice.API.Spec.SharedCounters {
			if c.Invalid = c.addSet(scope, &slice.API.Spec.SharedCounters[i]); c.Invalid != "" {
				return c
			}
		}
	}
	for _, slice := range list {
		if settings.isCounterSlice(slice) {
			continue
		}
		if c.Invalid = c.addConsumers(slice, settings.RejectNegativeCounters); c.Invalid != "" {
			return c
		}
	}
	c.order = slices.SortedFunc(maps.Keys(c.consuming), func(a, b *Slice) int { return cmp.Compare(a.API.Name, b.API.Name) })
	return c
}

func (c *Core) addSet(scope *Slice, set *resourceapi.CounterSet) string {
	key := setName{scope, set.Name}
	if _, ok := c.names[key]; ok {
		return fmt.Sprintf("duplicate counter set name %s", set.Name)
	}
	id := c.Sets
	c.Sets++
	c.names[key] = id
	for _, name := range slices.Sorted(maps.Keys(set.Counters)) {
		c.counters[counterName{id, name}] = len(c.Counters)
		c.Counters = append(c.Counters, Counter{Set: id, SetName: set.Name, Name: name, Total: number.From(set.Counters[name].Value)})
	}
	return ""
}

func (c *Core) addConsumers(slice *Slice, rejectNegative bool) string {
	consumes := false
	for w := range slice.Words() {
		consumes = consumes || slice.Flags(w).Consumes != 0
	}
	if !consumes {
		return ""
	}
	list := make([]Consumption, slice.Len())
	for i := range slice.API.Spec.Devices {
		for j := range slice.API.Spec.Devices[i].ConsumesCounters {
			if reason := c.addConsumption(slice, &list[i], &slice.API.Spec.Devices[i].ConsumesCounters[j]); reason != "" {
				return reason
			}
		}
		for _, d := range list[i].Deltas {
			if rejectNegative && d.Amount.Sign() < 0 {
				return fmt.Sprintf("device %s consumes a negative amount of counter %s", slice.API.Spec.Devices[i].Name, c.Counters[d.Counter].Name)
			}
		}
	}
	c.consuming[slice] = list
	return ""
}

func (c *Core) addConsumption(slice *Slice, to *Consumption, consumption *resourceapi.DeviceCounterConsumption) string {
	set, ok := c.names[setName{slice, consumption.CounterSet}]
	if !ok {
		if set, ok = c.names[setName{nil, consumption.CounterSet}]; !ok {
			if fault.AcceptsInvalidPools {
				return ""
			}
			return fmt.Sprintf("counter set %s not found", consumption.CounterSet)
		}
	}
	for name, counter := range consumption.Counters {
		id, ok := c.counters[counterName{set, name}]
		if !ok {
			return fmt.Sprintf("counter %s not found in counter set %s", name, consumption.CounterSet)
		}
		if fault.IgnoresMemorySlices && strings.HasPrefix(name, "memory-slice-") || fault.IgnoresMultiprocessors && name == "multiprocessors" {
			continue
		}
		if fault.ReadsFirstCountersOnly && id >= maxCountersOfFault {
			continue
		}
		if fault.RoundsAmountsUp {
			counter.Value.RoundUp(0)
		}
		to.Deltas = append(to.Deltas, Delta{id, number.From(counter.Value)})
	}
	if fault.DoesNotChargeWholeDevices && !slices.ContainsFunc(c.Counters, func(of Counter) bool {
		return of.Set == set && number.From(consumption.Counters[of.Name].Value).Cmp(of.Total) < 0
	}) {
		to.Deltas = nil
	}
	slices.SortFunc(to.Deltas, func(a, b Delta) int { return a.Counter - b.Counter })
	to.Groups = append(to.Groups, Group{set, consumption.CompatibilityGroups})
	return ""
}

// maxCountersOfFault is the number of counters of a pool that a fault reads.
const maxCountersOfFault = 128

// Consumption returns the consumption of device i of a slice. The slice must have a device that consumes counters.
func (c *Core) Consumption(slice *Slice, i int) *Consumption { return &c.consuming[slice][i] }

// Each calls f for every slice with a device that consumes counters, in the order of names. The order matters for
// the common compatibility groups of allocated devices if slices were changed so that allocated devices have
// different groups.
func (c *Core) Each(f func(slice *Slice, devices []Consumption)) {
	for i, slice := range c.order {
		if fault.CountsOneSliceOnly && i > 0 {
			return
		}
		f(slice, c.consuming[slice])
	}
}
