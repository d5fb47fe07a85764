// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"encoding/binary"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// counters make slices that share chips exclude each other, and no others.
//
// Chips that belong to exactly the same slices are always allocated together.
// One counter represents all of them, and its value is their number. A slice
// contains either all chips of a counter or none, and consumes the counter
// completely or not at all. Two slices therefore share a chip if and only if
// together they exceed a counter.
//
// For slices made of whole hosts, this results in one counter for each host, as
// in the KEP's example: 16 counters for 64 chips, 80 draws in total instead of
// 320, and one counter set instead of two. Kubernetes 1.34 accepts such a pool;
// it does not allow more than 32 counters. Slices that divide a host result in
// smaller counters, up to one for each chip.
type counters struct {
	sets []resourceapi.CounterSet
	// draws are the counters that each slice consumes.
	draws [][]resourceapi.DeviceCounterConsumption
}

// group is the set of chips that one counter represents.
type group struct {
	chips []int
	set   int // index of the counter set, -1 if there is none yet
}

func countersFor(grid extent, all []slice) (counters, error) {
	groups := groupsOf(grid, all)
	var out counters
	// Start with the largest slices. The counters of a slice that needs two
	// whole sets are then not spread over three.
	for _, ofSlice := range slices.Backward(groups) {
		var fresh []*group
		for _, g := range ofSlice {
			if g.set < 0 {
				fresh = append(fresh, g)
			}
		}
		out.add(grid, fresh)
	}
	for i, s := range all {
		draws, err := out.drawsOf(grid, groups[i])
		if err != nil {
			return counters{}, errorAt(s.shape.line, "slice %s at [%s]: %w", s.shape, join(s.origin, ","), err)
		}
		out.draws = append(out.draws, draws)
	}
	return out, nil
}

// groupsOf returns the groups of each slice, in the order of the chips.
func groupsOf(grid extent, all []slice) [][]*group {
	members := make([][]byte, grid.volume())
	for i, s := range all {
		for _, chip := range s.chips {
			members[chip] = binary.BigEndian.AppendUint32(members[chip], uint32(i))
		}
	}
	bySlices := map[string]*group{}
	for chip, of := range members {
		g := bySlices[string(of)]
		if g == nil {
			g = &group{set: -1}
			bySlices[string(of)] = g
		}
		g.chips = append(g.chips, chip)
	}
	out := make([][]*group, len(all))
	for i, s := range all {
		for _, chip := range s.chips {
			if g := bySlices[string(members[chip])]; g.chips[0] == chip {
				out[i] = append(out[i], g)
			}
		}
	}
	return out
}

// add adds groups to the last counter set if it has room for all of them, and
// to new sets otherwise.
func (c *counters) add(grid extent, groups []*group) {
	last := len(c.sets) - 1
	if last >= 0 && len(c.sets[last].Counters)+len(groups) > resourceapi.ResourceSliceMaxCountersPerCounterSet {
		last = len(c.sets)
	}
	for i, g := range groups {
		g.set = max(last, 0) + i/resourceapi.ResourceSliceMaxCountersPerCounterSet
		if g.set == len(c.sets) {
			c.sets = append(c.sets, resourceapi.CounterSet{
				Name:     fmt.Sprintf("tpus-%d", g.set),
				Counters: map[string]resourceapi.Counter{},
			})
		}
		c.sets[g.set].Counters[g.counter(grid)] = g.value()
	}
}

func (c *counters) drawsOf(grid extent, groups []*group) ([]resourceapi.DeviceCounterConsumption, error) {
	var draws []resourceapi.DeviceCounterConsumption
	bySet := map[int]int{}
	for _, g := range groups {
		i, ok := bySet[g.set]
		if !ok {
			i = len(draws)
			bySet[g.set] = i
			draws = append(draws, resourceapi.DeviceCounterConsumption{
				CounterSet: c.sets[g.set].Name,
				Counters:   map[string]resourceapi.Counter{},
			})
		}
		draws[i].Counters[g.counter(grid)] = g.value()
	}
	if most := resourceapi.ResourceSliceMaxDeviceCounterConsumptionsPerDevice; len(draws) > most {
		return nil, fmt.Errorf("consumes %d counters of %d counter sets, the API allows a device %d counter sets with %d counters each",
			len(groups), len(draws), most, resourceapi.ResourceSliceMaxCountersPerCounterSet)
	}
	return draws, nil
}

// counter returns the name of the counter, which contains the position of the
// first chip.
func (g *group) counter(grid extent) string {
	return "tpus-at-" + join(grid.at(g.chips[0]), "-")
}

func (g *group) value() resourceapi.Counter {
	return resourceapi.Counter{Value: *resource.NewQuantity(int64(len(g.chips)), resource.DecimalSI)}
}
