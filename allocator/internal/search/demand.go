// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"slices"

	"github.com/draconform/draconform/allocator/internal/bits"
)

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
