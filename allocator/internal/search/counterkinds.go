// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"slices"

	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/number"
	"github.com/draconform/draconform/allocator/internal/pools"
)

// countedPool is a pool whose devices consume counters.
type countedPool struct {
	index     int
	consumers []uint64     // Devices that consume counters, except shared ones, whose consumption may already be charged.
	sets      []countedSet // Per counter set.
	whole     []kind
	first     int // The first word of the pool.
}

// countedSet is a counter set with the devices that consume it first.
type countedSet struct {
	members []uint64
	kinds   []kind
}

// kind is a sum of counters and its consumption by devices. Words are relative to the pool.
type kind struct {
	counters []int
	takers   []taker // In ascending order, without devices that consume nothing.
	takes    []uint64
}

// taker is a set of devices with the same consumption.
type taker struct {
	amount  number.N
	devices []uint64
}

// counterArenas is the memory for the counter bounds.
type counterArenas struct {
	words   arena[uint64]
	sets    arena[countedSet]
	kinds   arena[kind]
	takers  arena[taker]
	amounts arena[number.N]
	touched []int
}

func (m *counterArenas) reset() {
	m.words.reset()
	m.sets.forget()
	m.kinds.forget()
	m.takers.forget()
	m.amounts.forget()
}

func (m *counterArenas) newCountedPool(s *searcher, index int) countedPool {
	core := s.Node.Pools[index].Core
	sums := core.Sums()
	first, end := s.wordsOf(index)
	c := countedPool{index: index, first: first, consumers: m.words.take(end - first), sets: m.sets.take(core.Sets)}
	for i := range c.sets {
		c.sets[i] = countedSet{m.words.take(end - first), m.newKinds(sums.Sets[i], end-first)}
	}
	c.whole = m.newKinds(sums.Pool, end-first)
	amounts := m.amounts.take(2 * len(core.Counters)) // A counter is in at most two sums of a set and in at most two sums of the pool.
	for w := range c.consumers {
		word := &s.Node.Words[first+w]
		flags := word.Slice.Flags(word.First / bits.WordSize)
		c.consumers[w] = flags.Consumes
		if s.Features.ConsumableCapacity {
			c.consumers[w] &^= flags.Shared
		}
		for rest := c.consumers[w]; rest != 0; rest &= rest - 1 {
			consumption := core.Consumption(word.Slice, word.First+bits.First(rest))
			set := consumption.Groups[0].Set
			c.sets[set].members[w] |= rest & -rest
			m.enter(c.sets[set].kinds, consumption, w, rest&-rest, amounts, func(counter int) []int {
				if core.Counters[counter].Set != set {
					return nil
				}
				return sums.InSet[counter]
			})
			m.enter(c.whole, consumption, w, rest&-rest, amounts, func(counter int) []int { return sums.InPool[counter] })
		}
	}
	return c
}

// wordsOf returns the range of the words of a pool.
func (s *searcher) wordsOf(pool int) (first, end int) {
	first, end = s.Node.Pools[pool].First, len(s.Node.Words)
	if pool+1 < len(s.Node.Pools) {
		end = s.Node.Pools[pool+1].First
	}
	return first, end
}

func (m *counterArenas) newKinds(sums [][]int, words int) []kind {
	kinds := m.kinds.take(len(sums))
	for i := range kinds {
		kinds[i] = kind{counters: sums[i], takes: m.words.take(words)}
	}
	return kinds
}

// enter records the consumption of a device for the sums of its counters. The amounts are zero before and after.
func (m *counterArenas) enter(kinds []kind, c *pools.Consumption, w int, bit uint64, amounts []number.N, in func(counter int) []int) {
	m.touched = m.touched[:0]
	for i := range c.Deltas {
		for _, sum := range in(c.Deltas[i].Counter) {
			if amounts[sum].Sign() == 0 {
				m.touched = append(m.touched, sum)
			}
			amounts[sum] = amounts[sum].Add(c.Deltas[i].Amount)
		}
	}
	for _, sum := range m.touched {
		if amounts[sum].Sign() != 0 {
			m.add(&kinds[sum], amounts[sum], w, bit)
		}
		amounts[sum] = number.N{}
	}
}

// add records that a device consumes an amount of a sum.
func (m *counterArenas) add(k *kind, amount number.N, w int, bit uint64) {
	k.takes[w] |= bit
	i, ok := slices.BinarySearchFunc(k.takers, amount, func(t taker, amount number.N) int { return t.amount.Cmp(amount) })
	if !ok {
		m.insert(k, i, amount)
	}
	k.takers[i].devices[w] |= bit
}

func (m *counterArenas) insert(k *kind, i int, amount number.N) {
	if len(k.takers) == cap(k.takers) {
		more := m.takers.take(max(2, 2*len(k.takers)))
		k.takers = more[:copy(more, k.takers)]
	}
	k.takers = k.takers[:len(k.takers)+1]
	copy(k.takers[i+1:], k.takers[i:])
	k.takers[i] = taker{amount, m.words.take(len(k.takes))}
}
