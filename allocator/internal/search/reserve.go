// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import "github.com/draconform/draconform/allocator/internal/bits"

// reserve is the reservation for requests for all devices (P11). Other requests cannot use the devices that such a
// request needs exclusively.
//
// Proof: A request for all devices without admin access needs each device on its list that is not shared
// exclusively. If another request without admin access uses one of them, earlier or later, one of the two requests
// fails. So in every solution, the other requests do not use these devices. If they then have too few devices, there
// is no solution. This holds for requests whose only usable alternative is the one for all devices.
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

// withhold removes a device from all demands except one. It returns whether they still have enough devices.
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
