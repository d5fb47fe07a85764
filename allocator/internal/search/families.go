// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"slices"

	"github.com/draconform/draconform/allocator/internal/bits"
)

// families finds the families of devices and determines which families are equal. Devices in a pool that is
// overdrawn or that has a device with negative consumption depend on more than their family. They get no family.
func (y *symmetry) families(p *pruner) {
	for pool := range p.s.Node.Pools {
		if p.s.Node.Pools[pool].Core != nil && p.s.pool(pool).negative == 0 {
			y.split(p, pool)
		}
	}
	y.pair(p)
}

// split finds the families of one pool. Counter sets are connected if a device consumes both.
func (y *symmetry) split(p *pruner, pool int) {
	s := p.s
	parent := make([]int, s.Node.Pools[pool].Core.Sets)
	for i := range parent {
		parent[i] = i
	}
	var positions, others []int
	for w := range s.Node.Words {
		word := &s.Node.Words[w]
		if word.Pool != pool {
			continue
		}
		exchangeable := p.exchangeable(w)
		for rest := p.eligible(w) & word.Slice.Flags(word.First/bits.WordSize).Consumes; rest != 0; rest &= rest - 1 {
			position := w*bits.WordSize + bits.First(rest)
			c := s.consumption(word, position)
			if exchangeable&(rest&-rest) == 0 {
				others = append(others, c.Groups[0].Set)
			} else {
				positions = append(positions, position)
			}
			for i := range c.Deltas {
				if c.Deltas[i].Amount.Sign() < 0 {
					return
				}
			}
			for i := 1; i < len(c.Groups); i++ {
				parent[root(parent, c.Groups[i].Set)] = root(parent, c.Groups[0].Set)
			}
		}
	}
	// Devices that are never exchanged change the counters of a family without being members.
	excluded := map[int]bool{}
	for _, set := range others {
		excluded[root(parent, set)] = true
	}
	at := map[int]int{}
	for _, position := range positions {
		set := root(parent, s.consumption(&s.Node.Words[position/bits.WordSize], position).Groups[0].Set)
		if excluded[set] {
			continue
		}
		family, ok := at[set]
		if !ok {
			family = len(y.members)
			at[set] = family
			y.members = append(y.members, nil)
		}
		y.family[position] = family
		y.member[position] = len(y.members[family])
		y.members[family] = append(y.members[family], position)
	}
}

func root(parent []int, i int) int {
	for parent[i] != i {
		parent[i] = parent[parent[i]]
		i = parent[i]
	}
	return i
}

// pair finds equal families and assigns the same orbit to corresponding members.
func (y *symmetry) pair(p *pruner) {
	last := map[string]int{} // The last family with each key.
	orbits := 0
	for family := range y.members { // In the order of their first devices.
		key := string(y.familyKey(p, family))
		before, ok := last[key]
		last[key] = family
		if ok && y.precedes(before, family) {
			for i, position := range y.members[family] {
				y.orbit[position] = y.orbit[y.members[before][i]]
			}
			continue
		}
		for _, position := range y.members[family] {
			y.orbit[position] = orbits
			orbits++
		}
	}
}

func (y *symmetry) precedes(a, b int) bool {
	for i := range y.members[a] {
		if y.members[a][i] >= y.members[b][i] {
			return false
		}
	}
	return true
}

// familyKey encodes a family and the remaining amounts of its counters. Counters and sets are numbered in the order
// of their first use.
func (y *symmetry) familyKey(p *pruner, family int) []byte {
	s := p.s
	pool := s.Node.Words[y.members[family][0]/bits.WordSize].Pool
	state := s.pool(pool)
	var counters, sets []int
	key := []byte{}
	rename := func(list *[]int) func(int) int {
		return func(id int) int {
			i := slices.Index(*list, id)
			if i < 0 {
				i = len(*list)
				*list = append(*list, id)
			}
			return i
		}
	}
	for _, position := range y.members[family] {
		w, bit := bits.Bit(position)
		signature := s.signature(nil, w, bit)
		key = append(appendIndex(key, len(signature)), signature...)
		key = s.consumptionKey(key, position, rename(&counters), rename(&sets))
	}
	for _, counter := range counters {
		key = state.left[counter].AppendKey(append(key, 'l'))
	}
	for _, set := range sets {
		if len(state.groups) > 0 {
			key = state.groups[set].appendKey(append(key, 's'))
		}
	}
	return key
}
