// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

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
