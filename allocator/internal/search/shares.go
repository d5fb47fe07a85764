// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/number"
)

// The capacity bound (P6): a shared device is not free for an alternative if its remaining capacity does not
// suffice. A free device can serve only as many requests as its capacities allow.
//
// Proof: The consumption of a request depends only on the request and the device. The remaining capacity never
// increases on the way to a solution. If each of k requests consumes at least m of a remaining capacity c, then k*m
// <= c. The matching uses this number as the number of requests that a device can serve.

// exhausted returns the subset of the given devices of word w whose capacity does not suffice.
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

// unlimited exceeds the number of shares that a pod can request.
const unlimited = 1 << 20

// shares returns the number of demands that a shared device can still serve.
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

// fits returns how many times an amount fits into the remaining amount. It returns limit if that number is too large
// to count.
func fits(amount, left number.N, limit int) int {
	const enough = 1024 // More than all claims of a pod request in practice. Larger numbers are no bound.
	n := 0
	for left = left.Sub(amount); left.Sign() >= 0; left = left.Sub(amount) {
		if n++; n == enough {
			return limit
		}
	}
	return n
}
