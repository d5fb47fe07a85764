// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"slices"

	"github.com/draconform/draconform/allocator/internal/bits"
)

// distinct is the bound for distinctAttribute (P4). There must be as many different values as devices.
//
// Proof: Let every device represent the smallest of its values. In a solution, the sets of values of all devices
// under the constraint are disjoint, so the devices represent different values. No device that was chosen earlier
// has one of these values. This is an assignment of requests to values in which no value is used twice. If no such
// assignment exists, there is no solution.
func (v *valueBounds) distinct(p *pruner) bool {
	for i := range v.constraints {
		if c := &v.constraints[i]; c.distinct && !v.different(p, c) {
			return false
		}
	}
	return true
}

func (v *valueBounds) different(p *pruner, c *valueConstraint) bool {
	s := p.s
	words := bits.Words(len(c.ids))
	v.taken = cleared(v.taken, words)
	taken := bits.Set(v.taken)
	for _, value := range s.constraints[s.firstOf[c.claim]+c.index].values {
		for _, id := range value.IDs {
			if n, ok := c.number[id]; ok {
				taken.Add(n)
			}
		}
	}
	f := &p.flow
	f.reset(words)
	for i := range p.demands {
		d := &p.demands[i]
		if d.claim != c.claim || d.need == 0 || slices.ContainsFunc(d.usable, func(k int) bool { return c.columns[k] == nil }) {
			continue
		}
		f.add(v.smallest(p, c, d, taken), d.need)
	}
	f.capacity = func(int, uint64) int { return 1 }
	ok := f.saturate()
	s.steps += f.work / 16
	return ok
}

// smallest returns the values that free devices represent. It omits devices that share a value with a device that
// was chosen earlier.
func (v *valueBounds) smallest(p *pruner, c *valueConstraint, d *demand, taken bits.Set) bits.Set {
	values := bits.Set(make([]uint64, len(taken)))
	for _, k := range d.usable {
		for w, word := range p.free[k] {
			p.s.steps += bits.Ones(word) / 16
			for rest := word; rest != 0; rest &= rest - 1 {
				list := c.columns[k][w*bits.WordSize+bits.First(rest)]
				if len(list) > 0 && !slices.ContainsFunc(list, taken.Has) {
					values.Add(slices.Min(list))
				}
			}
		}
	}
	return values
}
