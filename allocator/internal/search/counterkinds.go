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
	consumers []uint64     // Those of its devices that do, except for shared ones, which may have paid already.
	sets      []countedSet // Per counter set.
	whole     []kind
	first     int // The first of the pool's words.
}

// countedSet is a counter set with the devices for which it is the first that they consume.
type countedSet struct {
	members []uint64
	kinds   []kind
}

// kind is a sum of counters and what devices take of it. Words are those of the pool.
type kind struct {
	counters []int
	takers   []taker // In ascending order. Devices that take nothing are not among them.
	takes    []uint64
}

// taker is the devices that take the same amount.
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
	amounts := m.amounts.take(2 * len(core.Counters)) // No counter is in more than two sums of a set, or of the pool.
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

// wordsOf returns where the words of a pool begin and end.
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

// enter notes what a device takes of the sums its counters belong to. The amounts are zero before and after.
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

// add notes that a device takes an amount of a sum.
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
