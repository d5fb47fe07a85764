package search

import "github.com/draconform/draconform/allocator/internal/bits"

// reserve is the reservation for requests for all devices (P11): what such a request needs for itself, no
// other request may count on.
//
// Proof: a request for all devices without admin access needs each device on its list that is not shared
// for itself. If another request without admin access takes one, before or after, one of both fails. So in
// every solution the others do without these devices, and if they then have too few, there is no solution.
// This holds for requests whose only usable alternative is the one for all devices.
func (p *pruner) reserve(a *alternative, n int) bool {
	for i := range p.demands {
		d := &p.demands[i]
		if len(d.usable) != 1 || d.admin {
			continue
		}
		all := &p.s.alternatives[d.usable[0]]
		if !all.All {
			continue
		}
		from := 0
		if a == all {
			from = n
		}
		for _, position := range all.all[from:] {
			w, bit := bits.Bit(position)
			if p.s.word(w).shared&bit == 0 && !p.withhold(i, w, bit) {
				return false
			}
		}
	}
	return true
}

// withhold takes a device from all demands but one. It tells whether they still have enough.
func (p *pruner) withhold(except, w int, bit uint64) bool {
	for i := range p.demands {
		d := &p.demands[i]
		if i == except || d.admin || d.free[w]&bit == 0 {
			continue
		}
		if len(d.usable) != 1 {
			d.free[w] &^= bit
			continue
		}
		k := d.usable[0]
		p.free[k][w] &^= bit
		if p.counts[k]--; p.counts[k] < d.need {
			return false
		}
	}
	return true
}
