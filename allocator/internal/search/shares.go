package search

import (
	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/number"
)

// The capacity bound (P6): a shared device whose capacity does not cover what the alternative takes of it is
// not free for it, and one that is free can serve only as many requests as its capacities cover.
//
// Proof: what a request takes of a device depends on the two alone, and what is left of a capacity never
// grows on the way to a solution. If each of k requests takes at least m of a capacity of which c is left, then
// k*m <= c. The matching uses this number as the number of requests a device can serve.

// exhausted returns those of the given devices of word w whose capacity does not suffice.
func (p *pruner) exhausted(a *alternative, w int, of uint64) uint64 {
	s := p.s
	state := s.word(w)
	var exhausted uint64
	if a.Requirement == nil {
		return 0
	}
	for rest := of & state.ledger & a.verdicts[w].yes; rest != 0; rest &= rest - 1 {
		bit := rest & -rest
		if !s.capacityLeft(a, state, w*bits.WordSize+bits.First(bit), bit) {
			exhausted |= bit
		}
	}
	return exhausted
}

// unlimited stands for more shares than any pod can ask for.
const unlimited = 1 << 20

// shares returns how many more of the demands a shared device can serve.
func (p *pruner) shares(w int, bit uint64) int {
	s := p.s
	if !p.on(PruneShares) {
		return unlimited
	}
	position := w*bits.WordSize + bits.First(bit)
	var least []number.N
	for i := range p.demands {
		for _, k := range p.demands[i].usable {
			if p.free[k][w]&bit == 0 {
				continue
			}
			use := s.use(&s.alternatives[k], position)
			if use == nil || s.alternatives[k].verdicts[w].yes&bit == 0 {
				return unlimited
			}
			if least == nil {
				least = append(least, use.Amounts...)
			}
			for j := range least {
				if use.Amounts[j].Cmp(least[j]) < 0 {
					least[j] = use.Amounts[j]
				}
			}
		}
	}
	shares := unlimited
	left := s.ledger(s.word(w), position, bit).left
	for j := range least {
		if least[j].Sign() > 0 {
			shares = min(shares, fits(least[j], left[j], shares))
		}
	}
	return shares
}

// fits returns how many times an amount fits into what is left, up to a limit that is low enough to count.
func fits(amount, left number.N, limit int) int {
	const enough = 1024 // More than all claims of a pod together ask for in practice; then it is no bound.
	n := 0
	for left = left.Sub(amount); left.Sign() >= 0; left = left.Sub(amount) {
		if n++; n == enough {
			return limit
		}
	}
	return n
}
