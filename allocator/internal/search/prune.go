// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"slices"

	"github.com/draconform/draconform/allocator/internal/bits"
)

// Pruning is a set of prunings, used to disable them.
type Pruning uint

// The prunings. Each is in a separate file with a proof that it skips no solution.
const (
	PruneCounts Pruning = 1 << iota
	PruneMatching
	PruneMatchValues
	PruneDistinctValues
	PruneCounters
	PruneShares
	PruneLimit
	PruneSymmetry
	PruneNogoods
	PruneGroups
	PruneReserve
	PruneLocks

	AllPrunings = PruneLocks<<1 - 1
)

// pruner is the state of the prunings. A solution is searched only among choices that no pruning excludes.
//
// The bounds (infeasible) consider the requests that are not yet satisfied and the devices that are still free. They
// ignore some of the rules and show that even then there is no solution. A solution that does not exist with fewer
// rules does not exist with all rules.
type pruner struct {
	s    *searcher
	skip Pruning

	free    [][]uint64 // Per alternative: devices that may still be chosen. Only valid within infeasible.
	backing []uint64
	counts  []int // Per alternative: the number of devices in free.
	demands []demand
	arena   []uint64

	prepared bool
	values   valueBounds
	counters counterBounds
	locks    lockBound
	flow     flow
	capacity func(w int, bit uint64) int // Of a device, for the matching.
	symmetry symmetry
	nogoods  nogoods
}

// demand is a request, or the rest of it, that is not yet satisfied.
type demand struct {
	claim, request int
	usable         []int // The alternatives that still have enough devices.
	need           int   // The smallest number of devices that any of them needs.
	free           []uint64
	admin          bool
}

// equal returns whether two demands need the same number of the same devices.
func (d *demand) equal(other *demand) bool {
	return d.need == other.need && d.admin == other.admin && slices.Equal(d.free, other.free)
}

// begin initializes the pruner for the problem of the searcher. If fails is true, an evaluation can fail, and
// prunings that compare attribute values are disabled.
func (p *pruner) begin(s *searcher, fails bool) {
	p.s, p.skip, p.prepared = s, s.limits.Skip, false
	if fails {
		p.skip |= PruneSymmetry | PruneMatchValues | PruneDistinctValues
	}
	if p.capacity == nil {
		p.capacity = p.matchingCapacity
	}
	words := len(s.Node.Words)
	p.backing = cleared(p.backing, len(s.alternatives)*words)
	p.counts = cleared(p.counts, len(s.alternatives))
	p.free = p.free[:0]
	for i := range s.alternatives {
		p.free = append(p.free, p.backing[i*words:(i+1)*words])
	}
}

// release clears the state of the pruner and keeps the memory.
func (p *pruner) release() {
	if p.s == nil {
		return
	}
	p.s = nil
	p.values.release()
	p.counters.release()
	p.locks = lockBound{}
	p.nogoods.clear()
}

// prepare computes the data of the expensive bounds. It is called only if the cheaper bounds find no contradiction.
func (p *pruner) prepare() {
	if !p.prepared {
		p.prepared = true
		p.values.init(p)
		p.counters.init(p)
		p.locks.init(p)
	}
}

func (p *pruner) on(pruning Pruning) bool { return p.skip&pruning == 0 }

// start begins with another group of requests.
func (p *pruner) start() { p.nogoods.clear() }

// infeasible returns true if no solution exists from here. The search is before the i-th request or, with an
// alternative of it, before the n-th device of the alternative, whose place must be at or after from.
func (p *pruner) infeasible(i int, a *alternative, n, from int) bool {
	if p.on(PruneLimit) && !p.limit(i, a, n) {
		return true
	}
	p.demands, p.arena = p.demands[:0], p.arena[:0]
	for j := i; j < len(p.s.order); j++ {
		current, done, start := (*alternative)(nil), 0, 0
		if j == i && a != nil {
			current, done, start = a, n, from
		}
		if !p.demand(p.s.order[j], current, done, start) && p.on(PruneCounts) {
			return true
		}
	}
	p.s.steps += (len(p.s.Node.Words) + 4) * len(p.demands) / 32
	if p.on(PruneReserve) && !p.reserve(a, n) {
		return true
	}
	p.prepare()
	return p.on(PruneMatchValues) && !p.values.match(p) ||
		p.on(PruneDistinctValues) && !p.values.distinct(p) ||
		p.on(PruneCounters) && !p.counters.suffice(p) ||
		p.on(PruneMatching) && !p.matching() ||
		p.on(PruneLocks) && !p.locks.suffice(p)
}

// demand adds the request to the demands. It returns whether an alternative has enough devices left.
func (p *pruner) demand(request int, current *alternative, n, from int) bool {
	r := &p.s.Plan.Requests[request]
	first, end := r.First, r.End
	if current != nil {
		first, end = current.index, current.index+1
	}
	d := demand{claim: r.Claim, request: request, need: MaxResults + 1}
	if k := len(p.demands); k < cap(p.demands) {
		d.usable = p.demands[:k+1][k].usable[:0]
	}
	for i := first; i < end; i++ {
		a := &p.s.alternatives[i]
		done := 0
		if current != nil {
			done = n
		}
		if !p.collectFree(a, done, from) {
			continue
		}
		d.usable = append(d.usable, i)
		d.need = min(d.need, max(a.need-done, 0)) // The API allows no negative count, but objects may have one.
		d.admin = d.admin || a.Admin
	}
	if len(d.usable) == 0 {
		// No alternative is usable. With the count bound disabled, the search itself must detect this.
		d.need = 0
	}
	d.free = p.union(d.usable)
	p.demands = append(p.demands, d)
	return len(d.usable) > 0
}

// union returns the devices that are free for at least one of the alternatives.
func (p *pruner) union(alternatives []int) []uint64 {
	if len(alternatives) == 1 {
		return p.free[alternatives[0]]
	}
	words := len(p.s.Node.Words)
	start := len(p.arena)
	p.arena = slices.Grow(p.arena, words)[:start+words]
	clear(p.arena[start:])
	all := p.arena[start : start+words : start+words]
	for _, i := range alternatives {
		for w, word := range p.free[i] {
			all[w] |= word
		}
	}
	return all
}

// collectFree determines the devices that are free for an alternative, of which n devices are already chosen. It returns
// whether they suffice.
func (p *pruner) collectFree(a *alternative, n, from int) bool {
	s, free := p.s, p.free[a.index]
	clear(free)
	p.counts[a.index] = 0
	if a.All {
		return p.collectAll(a, n, free)
	}
	count := 0
	for w := s.firstWord(from); w < len(free); w++ {
		v := s.verdict(a, w)
		free[w] = s.available(a, w) & (v.yes | ^v.known) & s.behind(v, w, from)
		if p.on(PruneShares) {
			free[w] &^= p.exhausted(a, w, free[w])
		}
		count += bits.Ones(free[w])
	}
	p.counts[a.index] = count
	return count >= a.need-n
}

// collectAll is collectFree for a request for all devices, which needs each of them.
func (p *pruner) collectAll(a *alternative, n int, free []uint64) bool {
	for _, position := range a.all[n:] {
		w, bit := bits.Bit(position)
		if p.s.available(a, w)&bit == 0 || p.s.blocked(a, &p.s.Node.Words[w], bit) != 0 {
			return false
		}
		if p.on(PruneShares) && p.exhausted(a, w, bit) != 0 {
			return false
		}
		free[w] |= bit
		p.counts[a.index]++
	}
	return len(a.all) > 0
}

// pruned is the loop over devices with prunings.
func (s *searcher) pruned(i int, a *alternative, n, from int) (bool, error) {
	p := s.prune
	if n > 0 && (p.seen(i, a, n, from) || p.infeasible(i, a, n, from)) {
		return false, nil
	}
	start := from
	mark := p.symmetry.mark()
	defer p.symmetry.forget(mark)
	for {
		place, err := s.candidate(a, from)
		if place < 0 && err == nil && n > 0 {
			p.remember(i, a, n, start)
		}
		if place < 0 || err != nil {
			return false, err
		}
		from = place + 1
		position := s.position(place)
		if p.on(PruneSymmetry) && p.symmetry.failed(mark, position) {
			continue
		}
		done, err := s.try(i, a, n, place)
		if done || err != nil {
			return done, err
		}
		p.symmetry.fail(position)
	}
}
