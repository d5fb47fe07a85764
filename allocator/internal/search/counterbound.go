package search

import (
	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/number"
)

// The counter bounds (P5): what is left of the counters of a pool must suffice for the devices that are
// still needed.
//
// Proof: take any sum of counters (one counter, those with the same name in all sets, those that are equally
// large). The devices of a solution take at least as much of the sum as the same number of devices that take
// least of it, and no counter goes below zero, so neither does their sum.
//
// First bound: the number of devices that fit is, per counter set, the smallest over these sums, if each
// device counts for the first set it consumes only; devices that consume nothing always fit. The sum over
// the sets must not be less than the number needed, for each request and for all requests of a pool.
//
// Second bound: over the whole pool, what the requests take at least must not be more than is left.
type counterBounds struct {
	pools []countedPool
	union []uint64
}

func (b *counterBounds) init(p *pruner) {
	if !p.on(PruneCounters) {
		return
	}
	for i := range p.s.Node.Pools {
		if p.s.Node.Pools[i].Core != nil {
			b.pools = append(b.pools, newCountedPool(p.s, i))
		}
	}
}

// suffice tells whether the counters may suffice for the demands.
func (b *counterBounds) suffice(p *pruner) bool {
	if len(b.pools) == 0 {
		return true
	}
	b.union = cleared(b.union, len(p.s.Node.Words))
	total, sharing := 0, false
	for i := range p.demands {
		d := &p.demands[i]
		if d.admin {
			continue
		}
		if (i == 0 || !p.demands[i-1].like(d)) && b.fit(p, d.free, d.need) < d.need {
			return false
		}
		total += d.need
		for w, word := range d.free {
			b.union[w] |= word
			sharing = sharing || word&p.s.word(w).shared != 0
		}
	}
	if !sharing && b.fit(p, b.union, total) < total {
		return false
	}
	for i := range b.pools {
		if !b.pools[i].enough(b, p) {
			return false
		}
	}
	return true
}

// fit returns how many of the free devices fit at the same time, or a number that is at least enough.
func (b *counterBounds) fit(p *pruner, free []uint64, enough int) int {
	count := 0
	for w, word := range free {
		for i := range b.pools {
			word &^= b.pools[i].consumers[w]
		}
		count += bits.Ones(word)
	}
	for i := range b.pools {
		for _, set := range b.pools[i].sets {
			if count >= enough {
				return count
			}
			least := MaxResults * len(p.s.Plan.Claims)
			for j := range set {
				least = min(least, set[j].fit(p, b.pools[i].index, free))
			}
			if len(set) > 0 {
				count += least
			} else {
				count = enough // A set without counters holds any number.
			}
		}
	}
	return count
}

// left returns what is left of the sum.
func (k *kind) left(s *searcher, pool int) number.N {
	var sum number.N
	state := s.pool(pool)
	for _, counter := range k.counters {
		sum = sum.Add(state.left[counter])
	}
	return sum
}

// fit returns how many of the free devices the sum suffices for.
func (k *kind) fit(p *pruner, pool int, free bits.Set) int {
	left := k.left(p.s, pool)
	best, count := 0, 0
	var sum number.N
	p.s.steps += len(k.takers) / 16
	for i := range k.takers {
		t := &k.takers[i]
		if !free.Has(t.position) {
			continue
		}
		sum = sum.Add(t.amount)
		count++
		if sum.Cmp(left) <= 0 {
			best = count
		} else if t.amount.Sign() >= 0 {
			break
		}
	}
	return best
}

// enough is the second bound, for the requests that can only be satisfied from this pool.
func (c *countedPool) enough(b *counterBounds, p *pruner) bool {
	total := 0
	b.union = cleared(b.union, len(p.s.Node.Words))
	sums, least := make([]number.N, len(c.whole)), make([]number.N, len(c.whole))
	var last *demand
	for i := range p.demands {
		d := &p.demands[i]
		if d.admin || d.need == 0 || !c.only(d.free) {
			continue
		}
		total += d.need
		for w, word := range d.free {
			b.union[w] |= word
		}
		for j := range c.whole {
			if last == nil || !last.like(d) {
				least[j] = c.whole[j].least(p, d.free, d.need)
			}
			sums[j] = sums[j].Add(least[j])
		}
		last = d
	}
	if total == 0 {
		return true
	}
	for j := range c.whole {
		if sums[j].Cmp(c.whole[j].left(p.s, c.index)) > 0 {
			return false
		}
	}
	return b.fit(p, b.union, total) >= total
}

func (c *countedPool) only(free []uint64) bool {
	for w, word := range free {
		if word&^c.consumers[w] != 0 {
			return false
		}
	}
	return true
}

// least returns what the given number of free devices takes at least.
func (k *kind) least(p *pruner, free bits.Set, need int) number.N {
	var sum number.N
	p.s.steps += len(k.takers) / 16
	for i := range k.takers {
		if need == 0 {
			break
		}
		if free.Has(k.takers[i].position) {
			sum = sum.Add(k.takers[i].amount)
			need--
		}
	}
	return sum
}
