package search

import (
	"slices"

	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/number"
)

// countedPool is a pool whose devices consume counters.
type countedPool struct {
	index     int
	consumers []uint64
	sets      [][]kind // Per counter set.
	whole     []kind
}

// kind is a sum of counters and what devices take of it, those that take least first.
type kind struct {
	counters []int
	takers   []taker
}

type taker struct {
	position int
	amount   number.N
}

func newCountedPool(s *searcher, index int) countedPool {
	core := s.Node.Pools[index].Core
	c := countedPool{index: index, consumers: make([]uint64, len(s.Node.Words)), sets: make([][]kind, core.Sets)}
	bySet := make([]map[string]int, core.Sets)
	for i := range bySet {
		bySet[i] = map[string]int{}
	}
	whole, of := map[string]int{}, make([]kindsOf, len(core.Counters))
	for i := range core.Counters {
		counter := &core.Counters[i]
		size := string(counter.Total.AppendKey([]byte{0}))
		of[i].inSet = []int{
			addKind(&c.sets[counter.Set], bySet[counter.Set], counter.Name, i),
			addKind(&c.sets[counter.Set], bySet[counter.Set], size, i),
		}
		of[i].inPool = []int{addKind(&c.whole, whole, counter.Name, i), addKind(&c.whole, whole, size, i)}
	}
	for w := range s.Node.Words {
		word := &s.Node.Words[w]
		if word.Pool != index {
			continue
		}
		flags := word.Slice.Flags(word.First / bits.WordSize)
		c.consumers[w] = flags.Consumes
		if s.Features.ConsumableCapacity {
			c.consumers[w] &^= flags.Shared // These may have paid already.
		}
		for rest := c.consumers[w]; rest != 0; rest &= rest - 1 {
			c.enter(s, w*bits.WordSize+bits.First(rest), of)
		}
	}
	for set := range c.sets {
		sortTakers(c.sets[set])
	}
	sortTakers(c.whole)
	return c
}

// kindsOf is the sums one counter belongs to, by their index: of its set, and of the pool.
type kindsOf struct{ inSet, inPool []int }

// addKind adds a counter to the sum of counters with the same name or, which is what names that begin with a zero
// stand for, of the same size.
func addKind(list *[]kind, known map[string]int, name string, counter int) int {
	i, ok := known[name]
	if !ok {
		i = len(*list)
		known[name] = i
		*list = append(*list, kind{})
	}
	(*list)[i].counters = append((*list)[i].counters, counter)
	return i
}

func sortTakers(list []kind) {
	for i := range list {
		slices.SortFunc(list[i].takers, func(a, b taker) int { return a.amount.Cmp(b.amount) })
	}
}

// enter adds what a device takes to the sums of its first set and of the pool.
func (c *countedPool) enter(s *searcher, position int, of []kindsOf) {
	consumption := s.consumption(&s.Node.Words[position/bits.WordSize], position)
	first := consumption.Groups[0].Set
	core := s.Node.Pools[c.index].Core
	set := make([]number.N, len(c.sets[first]))
	whole := make([]number.N, len(c.whole))
	for _, d := range consumption.Deltas {
		if core.Counters[d.Counter].Set == first {
			for _, i := range of[d.Counter].inSet {
				set[i] = set[i].Add(d.Amount)
			}
		}
		for _, i := range of[d.Counter].inPool {
			whole[i] = whole[i].Add(d.Amount)
		}
	}
	for i := range set {
		c.sets[first][i].takers = append(c.sets[first][i].takers, taker{position, set[i]})
	}
	for i := range whole {
		c.whole[i].takers = append(c.whole[i].takers, taker{position, whole[i]})
	}
}
