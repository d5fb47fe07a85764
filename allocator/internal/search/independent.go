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
	wants := make([][]uint64, len(parent))
	pays := make([]uint64, 0, len(parent)*len(s.Node.Pools))
	for r := range parent {
		wants[r] = p.wants(r)
		pays = append(pays, p.pays(wants[r])...)
		for q := range r {
			if p.dependent(q, r, wants, pays) {
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

func (p *pruner) wants(request int) []uint64 {
	r := &p.s.Plan.Requests[request]
	wants := make([]uint64, len(p.s.Node.Words))
	for k := r.First; k < r.End; k++ {
		for w := range wants {
			v := p.s.verdict(&p.s.alternatives[k], w)
			wants[w] |= (v.yes | ^v.known) & p.s.valid(w)
		}
	}
	return wants
}

// pays returns a set of pools: those whose counters a wanted device consumes.
func (p *pruner) pays(wants []uint64) []uint64 {
	pays := make([]uint64, bits.Words(len(p.s.Node.Pools)))
	for w, word := range wants {
		at := &p.s.Node.Words[w]
		if word&at.Slice.Flags(at.First/bits.WordSize).Consumes != 0 {
			bits.Set(pays).Add(at.Pool)
		}
	}
	return pays
}

func (p *pruner) dependent(q, r int, wants [][]uint64, pays []uint64) bool {
	overlap := func(a, b []uint64) bool {
		for i := range a {
			if a[i]&b[i] != 0 {
				return true
			}
		}
		return false
	}
	n := bits.Words(len(p.s.Node.Pools))
	if overlap(wants[q], wants[r]) || overlap(pays[q*n:(q+1)*n], pays[r*n:(r+1)*n]) {
		return true
	}
	a, b := &p.s.Plan.Requests[q], &p.s.Plan.Requests[r]
	if a.Claim != b.Claim {
		return false
	}
	for i := range p.s.Plan.Claims[a.Claim].Constraints {
		if p.concerns(a.First, a.End, i) && p.concerns(b.First, b.End, i) {
			return true
		}
	}
	return false
}

func (p *pruner) concerns(first, end, constraint int) bool {
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
