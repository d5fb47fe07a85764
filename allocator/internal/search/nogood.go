// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"encoding/binary"
	"slices"
)

// nogoods stores situations that have no solution (P9).
//
// A situation consists of the state of the search (request, alternative, number of devices, position) and of all
// effects of earlier choices that later choices can observe. These are the devices in use that later requests can
// select, the remaining counters and capacities, the values to which devices are locked, the state of compatibility
// groups and constraints, and the number of devices of the claim. Different choices often lead to the same
// situation.
//
// Proof: Whether a solution exists from here depends only on the situation. The complete situation is compared,
// without hashing.
type nogoods struct {
	known map[string]struct{}
	size  int
	key   []byte
}

// maxNogoods bounds the bytes of stored situations.
const maxNogoods = 16 << 20

func (g *nogoods) clear() {
	clear(g.known)
	g.size = 0
}

// seen returns whether the situation is known to have no solution.
func (p *pruner) seen(i int, a *alternative, n, from int) bool {
	if !p.on(PruneNogoods) || len(p.nogoods.known) == 0 {
		return false
	}
	_, ok := p.nogoods.known[string(p.situation(i, a, n, from))]
	return ok
}

// remember stores that the situation has no solution.
func (p *pruner) remember(i int, a *alternative, n, from int) {
	if !p.on(PruneNogoods) {
		return
	}
	g := &p.nogoods
	key := p.situation(i, a, n, from)
	if g.size += len(key) + 32; g.size > maxNogoods {
		g.clear()
		g.size = len(key) + 32
	}
	if g.known == nil {
		g.known = map[string]struct{}{}
	}
	g.known[string(key)] = struct{}{}
}

// situation encodes the situation. The result is valid until the next call.
func (p *pruner) situation(i int, a *alternative, n, from int) []byte {
	s := p.s
	key := p.nogoods.key[:0]
	index := -1
	if a != nil {
		index = a.index
	}
	for _, v := range []int{i, index + 1, n, from} {
		key = appendIndex(key, v)
	}
	claim := s.Plan.Requests[s.order[i]].Claim
	key = binary.LittleEndian.AppendUint32(key, uint32(s.results[claim])) //nolint:gosec // At most 32.
	for w := range s.Node.Words {
		later := p.later(i, w)
		key = binary.LittleEndian.AppendUint64(key, s.word(w).inUse&later)
		for c := claim; c < len(s.Plan.Claims) && len(s.taken) > 0; c++ {
			key = binary.LittleEndian.AppendUint64(key, s.taken[c*len(s.words)+w]&later)
		}
	}
	key = p.counterSituation(key)
	key = p.ledgerSituation(key)
	key = p.constraintSituation(key, claim)
	key = p.lockSituation(key, i)
	s.steps += len(key) / 64
	p.nogoods.key = key
	return key
}

// later returns the devices of word w that the i-th request or a later one can select.
func (p *pruner) later(i, w int) uint64 {
	var later uint64
	for _, request := range p.s.order[i:] {
		r := &p.s.Plan.Requests[request]
		for k := r.First; k < r.End; k++ {
			v := &p.s.alternatives[k].verdicts[w]
			later |= v.yes | ^v.known
		}
	}
	return later
}

func (p *pruner) counterSituation(key []byte) []byte {
	s := p.s
	for i := range s.Node.Pools {
		if !s.pools[i].loaded {
			continue
		}
		state, base := &s.pools[i], s.Allocated.counters(s.Node.Pools[i].Core)
		for j := range state.left {
			if state.left[j].Cmp(base.left[j]) != 0 {
				key = appendIndex(appendIndex(append(key, 'c'), i), j)
				key = state.left[j].AppendKey(key)
			}
		}
		if !s.Features.CompatibilityGroups {
			continue
		}
		for j := range state.groups {
			key = state.groups[j].appendKey(append(key, 'g'))
		}
	}
	return append(key, 'C')
}

func (p *pruner) ledgerSituation(key []byte) []byte {
	s := p.s
	positions := make([]int, 0, len(s.ledgers))
	for position, l := range s.ledgers {
		if l.picks > 0 {
			positions = append(positions, position)
		}
	}
	slices.Sort(positions)
	for _, position := range positions {
		key = appendIndex(append(key, 'l'), position)
		for _, left := range s.ledgers[position].left {
			key = left.AppendKey(key)
		}
	}
	return append(key, 'L')
}

func (p *pruner) constraintSituation(key []byte, claim int) []byte {
	s := p.s
	for i := range s.Plan.Claims[claim].Constraints {
		state := &s.constraints[s.firstOf[claim]+i]
		var ids []uint32
		if n := len(state.common); n > 0 {
			ids = append(ids, state.common[n-1]...)
		}
		for j := range state.values {
			ids = append(ids, state.values[j].IDs...)
		}
		slices.Sort(ids)
		key = appendIndex(append(key, flag(len(state.common) > 0 || len(state.values) > 0)), len(ids))
		for _, id := range ids {
			key = binary.LittleEndian.AppendUint32(key, id)
		}
	}
	return key
}
