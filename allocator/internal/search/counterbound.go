// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/number"
)

// The counter bounds (P5): the remaining counters of a pool must suffice for the devices that are still needed.
//
// Proof: Take any sum of counters (a single counter, the counters with the same name in all sets, the counters with
// the same total). The devices of a solution consume at least as much of the sum as the same number of devices with
// the smallest consumption. No counter goes below zero, so their sum does not either.
//
// First bound: for each counter set, the number of devices that fit is the smallest number over these sums. Each
// device counts only for the first set that it consumes. Devices that consume nothing always fit. The total over the
// sets must not be less than the number of needed devices, for each request and for all requests of a pool.
//
// Second bound: over the whole pool, the minimum consumption of the requests must not exceed the remaining amount.
type counterBounds struct {
	pools  []countedPool
	union  []uint64
	sums   []number.N
	least  []number.N
	arenas counterArenas
}

func (b *counterBounds) init(p *pruner) {
	if !p.on(PruneCounters) {
		return
	}
	for i := range p.s.Node.Pools {
		if p.s.Node.Pools[i].Core != nil {
			b.pools = append(b.pools, b.arenas.newCountedPool(p.s, i))
		}
	}
}

func (b *counterBounds) release() {
	clear(b.pools)
	b.pools = b.pools[:0]
	b.arenas.reset()
}

// suffice returns false if the counters cannot satisfy the demands.
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
		if (i == 0 || !p.demands[i-1].equal(d)) && b.fit(p, d.free, d.need) < d.need {
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
		if !b.enough(p, &b.pools[i]) {
			return false
		}
	}
	return true
}

// fit returns the number of free devices that fit at the same time, or a number of at least enough.
func (b *counterBounds) fit(p *pruner, free []uint64, enough int) int {
	count := 0
	for _, word := range free {
		count += bits.Ones(word)
	}
	for i := range b.pools {
		count -= overlap(free[b.pools[i].first:], b.pools[i].consumers)
	}
	for i := range b.pools {
		c := &b.pools[i]
		for j := range c.sets {
			if count >= enough {
				return count
			}
			count += c.sets[j].fit(p, c, free[c.first:], enough-count)
		}
	}
	return count
}

// fit returns the number of free devices of the set that fit, or a number of at least enough.
func (t *countedSet) fit(p *pruner, c *countedPool, free []uint64, enough int) int {
	least := enough // A set without counters has no limit.
	for i := range t.kinds {
		if least == 0 {
			break
		}
		least = t.kinds[i].fit(p, c.index, free, t.members, least)
	}
	return least
}

// left returns the remaining amount of the sum.
func (k *kind) left(s *searcher, pool int) number.N {
	var sum number.N
	state := s.pool(pool)
	for _, counter := range k.counters {
		sum = sum.Add(state.left[counter])
	}
	return sum
}

// fit returns the number of free devices among the members for which the sum suffices, but at most enough.
func (k *kind) fit(p *pruner, pool int, free, members []uint64, enough int) int {
	left := k.left(p.s, pool)
	p.s.steps += len(k.takers) * len(members) / 16
	count, without, positive := 0, 0, false
	for w, word := range members {
		without += bits.Ones(word & free[w] &^ k.takes[w])
	}
	var sum number.N
	for i := range k.takers {
		t := &k.takers[i]
		if !positive && t.amount.Sign() > 0 {
			// All devices with no or negative consumption are counted. The sum has its minimum here.
			if count, positive = count+without, true; sum.Cmp(left) > 0 {
				return 0
			}
		}
		for n := overlap(free, t.devices); n > 0 && (!positive || count < enough); n-- {
			if sum = sum.Add(t.amount); positive && sum.Cmp(left) > 0 {
				return count
			}
			count++
		}
	}
	if !positive {
		if count += without; sum.Cmp(left) > 0 {
			return 0
		}
	}
	return min(count, enough)
}

// enough is the second bound, for the requests that can be satisfied only from this pool.
func (b *counterBounds) enough(p *pruner, c *countedPool) bool {
	total := 0
	b.union = cleared(b.union, len(p.s.Node.Words))
	b.sums, b.least = cleared(b.sums, len(c.whole)), cleared(b.least, len(c.whole))
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
			if last == nil || !last.equal(d) {
				b.least[j] = c.whole[j].least(d.free[c.first:], c.consumers, d.need)
			}
			b.sums[j] = b.sums[j].Add(b.least[j])
		}
		last = d
	}
	if total == 0 {
		return true
	}
	for j := range c.whole {
		if b.sums[j].Cmp(c.whole[j].left(p.s, c.index)) > 0 {
			return false
		}
	}
	return b.fit(p, b.union, total) >= total
}

// only returns whether all of the devices are in this pool and consume counters.
func (c *countedPool) only(free []uint64) bool {
	for w, word := range free {
		var consumers uint64
		if i := w - c.first; i >= 0 && i < len(c.consumers) {
			consumers = c.consumers[i]
		}
		if word&^consumers != 0 {
			return false
		}
	}
	return true
}

// least returns the minimum consumption of the given number of free devices among the members.
func (k *kind) least(free, members []uint64, need int) number.N {
	var sum number.N
	without := 0
	for w, word := range members {
		without += bits.Ones(word & free[w] &^ k.takes[w])
	}
	for i := range k.takers {
		t := &k.takers[i]
		if t.amount.Sign() > 0 {
			need, without = need-without, 0
		}
		for n := overlap(free, t.devices); n > 0 && need > 0; n-- {
			sum = sum.Add(t.amount)
			need--
		}
	}
	return sum
}

// overlap returns the number of devices in both sets. a may be longer than b.
func overlap(a, b []uint64) int {
	n := 0
	for w, word := range b {
		n += bits.Ones(word & a[w])
	}
	return n
}
