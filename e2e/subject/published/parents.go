// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package published

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/internal/rules"
)

// Parent is the devices of a pool that consume the same shared counters, such
// as a GPU and its partitions.
type Parent struct {
	// CounterSets are the counter sets that the devices consume from.
	CounterSets []resourceapi.CounterSet
	Devices     []*Device
}

// Parents groups devices that consume counters. Devices that have a counter set
// in common, directly or through other devices, have the same parent.
func (d *Driver) Parents(devices []*Device) []*Parent {
	var pools []string
	byPool := map[string][]*Parent{}
	for _, device := range devices {
		if len(device.ConsumesCounters) == 0 {
			continue
		}
		if byPool[device.Pool] == nil {
			pools = append(pools, device.Pool)
		}
		own := &Parent{CounterSets: d.consumed(device), Devices: []*Device{device}}
		byPool[device.Pool] = join(byPool[device.Pool], own)
	}
	var all []*Parent
	for _, pool := range pools {
		all = append(all, byPool[pool]...)
	}
	return all
}

// join adds a parent to those of a pool. It is joined with all that have a
// counter set in common with it.
func join(parents []*Parent, own *Parent) []*Parent {
	first := slices.IndexFunc(parents, own.overlaps)
	if first < 0 {
		return append(parents, own)
	}
	joined := parents[first].with(own)
	rest := slices.DeleteFunc(slices.Clone(parents[first+1:]), func(p *Parent) bool {
		if !p.overlaps(joined) {
			return false
		}
		joined = joined.with(p)
		return true
	})
	return append(append(parents[:first:first], joined), rest...)
}

// consumed returns the counter sets that a device consumes from.
func (d *Driver) consumed(device *Device) []resourceapi.CounterSet {
	var all []resourceapi.CounterSet
	for _, set := range d.Pool(device.Pool).CounterSets {
		if slices.ContainsFunc(device.ConsumesCounters, func(c resourceapi.DeviceCounterConsumption) bool { return c.CounterSet == set.Name }) {
			all = append(all, set)
		}
	}
	return all
}

func (p *Parent) has(set string) bool {
	return slices.ContainsFunc(p.CounterSets, func(s resourceapi.CounterSet) bool { return s.Name == set })
}

func (p *Parent) overlaps(other *Parent) bool {
	return slices.ContainsFunc(other.CounterSets, func(s resourceapi.CounterSet) bool { return p.has(s.Name) })
}

// with returns a parent with the devices and counter sets of both.
func (p *Parent) with(other *Parent) *Parent {
	joined := &Parent{CounterSets: slices.Clone(p.CounterSets), Devices: slices.Concat(p.Devices, other.Devices)}
	for _, set := range other.CounterSets {
		if !p.has(set.Name) {
			joined.CounterSets = append(joined.CounterSets, set)
		}
	}
	return joined
}

// Fit reports whether devices of the parent can be allocated at the same time:
// the counters suffice, and the compatibility groups agree (KEP-4815,
// KEP-5963).
func (p *Parent) Fit(devices []*Device) bool {
	published := make([]*resourceapi.Device, len(devices))
	for i, d := range devices {
		published[i] = d.Device.Device
	}
	if len(rules.Overdrawn(slices.Values(p.CounterSets), published)) > 0 {
		return false
	}
	for _, set := range p.CounterSets {
		groups := rules.GroupsOn(set.Name, published)
		if len(groups) > 0 && !rules.MayJoin(groups[:1], groups[1:]) {
			return false
		}
	}
	return true
}
