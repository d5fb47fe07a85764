// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import "github.com/draconform/draconform/allocator/internal/bits"

// groups splits the requests into groups that do not depend on each other (P10), each in ascending order.
//
// Two requests depend on each other if they can select the same device, if both can select devices that consume
// counters of the same pool, if a constraint applies to both, or if they belong to a claim whose requests together
// can exceed the maximum number of devices.
//
// Proof: No rule connects requests of different groups. So the union of solutions of the groups is a solution, and
// each solution is such a union. A sequence of choices is smallest if it is smallest in each group. If it were not
// smallest in one group, replacing the choices of that group by smaller ones would make the whole sequence smaller.
func (p *pruner) groups() [][]int {
	s := p.s
	if !p.on(PruneGroups) || len(s.Plan.Requests) < 2 {
		return [][]int{s.order}
	}
	parent := make([]int, len(s.Plan.Requests))
	for i := range parent {
		parent[i] = i
	}
	join := func(a, b int) { parent[root(parent, a)] = root(parent, b) }
	selectable := make([][]uint64, len(parent))
	consumed := make([]uint64, 0, len(parent)*len(s.Node.Pools))
	for r := range parent {
		selectable[r] = p.selectable(r)
		consumed = append(consumed, p.consumed(selectable[r])...)
		for q := range r {
			if p.dependent(q, r, selectable, consumed) {
				join(q, r)
			}
		}
	}
	for c := range s.Plan.Claims {
		if claim := &s.Plan.Claims[c]; p.most(c) > MaxResults {
			for r := claim.First + 1; r < claim.End; r++ {
				join(r-1, r)
			}
		}
	}
	var groups [][]int
	at := map[int]int{}
	for r := range parent {
		i, ok := at[root(parent, r)]
		if !ok {
			i = len(groups)
			at[root(parent, r)] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

// selectable returns the devices that a request can select.
func (p *pruner) selectable(request int) []uint64 {
	r := &p.s.Plan.Requests[request]
	selectable := make([]uint64, len(p.s.Node.Words))
	for k := r.First; k < r.End; k++ {
		for w := range selectable {
			v := p.s.verdict(&p.s.alternatives[k], w)
			selectable[w] |= (v.yes | ^v.known) & p.s.valid(w)
		}
	}
	return selectable
}

// consumed returns a set of pools: those whose counters a selectable device consumes.
func (p *pruner) consumed(selectable []uint64) []uint64 {
	pools := make([]uint64, bits.Words(len(p.s.Node.Pools)))
	for w, word := range selectable {
		at := &p.s.Node.Words[w]
		if word&at.Slice.Flags(at.First/bits.WordSize).Consumes != 0 {
			bits.Set(pools).Add(at.Pool)
		}
	}
	return pools
}

// dependent returns whether two requests depend on each other, apart from the limit of a claim.
func (p *pruner) dependent(q, r int, selectable [][]uint64, consumed []uint64) bool {
	overlap := func(a, b []uint64) bool {
		for i := range a {
			if a[i]&b[i] != 0 {
				return true
			}
		}
		return false
	}
	n := bits.Words(len(p.s.Node.Pools))
	if overlap(selectable[q], selectable[r]) || overlap(consumed[q*n:(q+1)*n], consumed[r*n:(r+1)*n]) {
		return true
	}
	a, b := &p.s.Plan.Requests[q], &p.s.Plan.Requests[r]
	if a.Claim != b.Claim {
		return false
	}
	for i := range p.s.Plan.Claims[a.Claim].Constraints {
		if p.constrains(a.First, a.End, i) && p.constrains(b.First, b.End, i) {
			return true
		}
	}
	return false
}

func (p *pruner) constrains(first, end, constraint int) bool {
	for k := first; k < end; k++ {
		if p.s.alternatives[k].Constraints[constraint] {
			return true
		}
	}
	return false
}

// most returns the largest number of devices that a claim can use.
func (p *pruner) most(claim int) int {
	total := 0
	for r := p.s.Plan.Claims[claim].First; r < p.s.Plan.Claims[claim].End; r++ {
		most := 0
		for k := p.s.Plan.Requests[r].First; k < p.s.Plan.Requests[r].End; k++ {
			most = max(most, min(p.s.alternatives[k].need, MaxResults+1))
		}
		total += most
	}
	return total
}
