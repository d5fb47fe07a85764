// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"slices"

	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/selector"
)

// valueBounds is the state of the bounds on the attribute values that constraints compare.
type valueBounds struct {
	constraints []valueConstraint
	count       []int // Scratch, per value.
	union       []int
	seen        []uint64
	taken       []uint64
	alive       []bool
	enough      []bool
	columns     arena[column]
	positions   arena[[]int]
	values      arena[int]
	derived     map[string]column
}

// column is the values of devices, per position.
type column [][]int

// valueConstraint is one constraint with the values of the devices. Values are numbered from 0.
type valueConstraint struct {
	claim, index int
	distinct     bool
	columns      []column // Per alternative (nil if it does not apply).
	mixed        bool     // Alternatives differ in the values of a device.
	number       map[uint32]int
	ids          []uint32
}

// init numbers the values. It skips a constraint with a value that does not behave like a set of values (no value,
// or several without list attributes). Whether a device with such a value satisfies the constraint depends on
// whether it is the first, so symmetry is then disabled.
func (v *valueBounds) init(p *pruner) {
	s := p.s
	for c := range s.Plan.Claims {
		for i := range s.Plan.Claims[c].Constraints {
			constraint := v.next()
			constraint.claim, constraint.index, constraint.mixed = c, i, false
			constraint.distinct = s.Plan.Claims[c].Constraints[i].Distinct
			constraint.columns = v.columns.take(len(s.alternatives))
			if !v.fill(s, constraint) {
				v.constraints = v.constraints[:len(v.constraints)-1]
				p.skip |= PruneSymmetry
			}
		}
	}
}

// next appends a constraint. It reuses the memory of an earlier one if possible.
func (v *valueBounds) next() *valueConstraint {
	n := len(v.constraints)
	if n == cap(v.constraints) {
		v.constraints = append(v.constraints, valueConstraint{number: map[uint32]int{}})
		return &v.constraints[n]
	}
	v.constraints = v.constraints[:n+1]
	c := &v.constraints[n]
	if c.ids = c.ids[:0]; c.number == nil {
		c.number = map[uint32]int{}
	}
	clear(c.number)
	return c
}

func (v *valueBounds) release() {
	v.constraints = v.constraints[:0]
	v.columns.forget()
	v.positions.forget()
	v.values.reset()
	clear(v.derived)
}

func (v *valueBounds) fill(s *searcher, c *valueConstraint) bool {
	own := &s.Plan.Claims[c.claim].Constraints[c.index]
	var plain column
	clear(v.derived)
	for i := range s.alternatives {
		a := &s.alternatives[i]
		if a.Claim != c.claim || !a.Constraints[c.index] {
			continue
		}
		values := &plain
		if a.Derived[own.Name] != nil {
			of := v.derived[a.Result]
			values = &of
		}
		if *values == nil {
			c.mixed = c.mixed || plain != nil || len(v.derived) > 0
			*values = v.positions.take(len(s.Node.Words) * bits.WordSize)
			if values != &plain {
				v.remember(a.Result, *values)
			}
		}
		c.columns[i] = *values
		if !v.fillColumn(s, c, a, *values) {
			return false
		}
	}
	return true
}

func (v *valueBounds) remember(result string, values column) {
	if v.derived == nil {
		v.derived = map[string]column{}
	}
	v.derived[result] = values
}

// fillColumn adds the values of the devices that suit an alternative.
func (v *valueBounds) fillColumn(s *searcher, c *valueConstraint, a *alternative, values column) bool {
	own := &s.Plan.Claims[c.claim].Constraints[c.index]
	for w := range s.Node.Words {
		for rest := s.verdict(a, w).yes; rest != 0; rest &= rest - 1 {
			position := w*bits.WordSize + bits.First(rest)
			if values[position] != nil {
				continue
			}
			value, err := s.value(a, own, position)
			if err != nil || !v.add(c, values, position, value, s.Features.ListTypeAttributes) {
				return false
			}
		}
	}
	return true
}

func (v *valueBounds) add(c *valueConstraint, values column, position int, value selector.Value, lists bool) bool {
	if value.Set && (len(value.IDs) == 0 || !lists && len(value.IDs) > 1) {
		return lists // With lists such a device never satisfies the constraint. Without lists the rules differ from those of sets.
	}
	list := v.values.take(len(value.IDs))
	for i, id := range value.IDs {
		n, ok := c.number[id]
		if !ok {
			n = len(c.ids)
			c.number[id] = n
			c.ids = append(c.ids, id)
		}
		list[i] = n
	}
	values[position] = list
	return true
}

// match is the bound for matchAttribute (P3). A value must remain that all devices can have in common.
//
// Proof: In a solution, the sets of values of all devices under the constraint have a value v in common (a single
// value is a set of one). The devices that were chosen earlier have v in common, too. So each request under the
// constraint finds all of its devices among those with v, and so do all of these requests together. There must be at
// least as many devices with v as are needed. Devices that are not shared count once.
func (v *valueBounds) match(p *pruner) bool {
	for i := range v.constraints {
		if c := &v.constraints[i]; !c.distinct && !v.common(p, c) {
			return false
		}
	}
	return true
}

func (v *valueBounds) common(p *pruner, c *valueConstraint) bool {
	s := p.s
	v.alive = cleared(v.alive, len(c.ids))
	alive := v.alive
	if state := &s.constraints[s.firstOf[c.claim]+c.index]; len(state.common) > 0 {
		for _, id := range state.common[len(state.common)-1] {
			if n, ok := c.number[id]; ok {
				alive[n] = true
			}
		}
	} else {
		for n := range alive {
			alive[n] = true
		}
	}
	v.union = cleared(v.union, len(c.ids))
	v.seen = cleared(v.seen, len(s.Node.Words))
	total, constrained, unlimited := 0, false, c.mixed
	var last *demand
	for i := range p.demands {
		d := &p.demands[i]
		if d.claim != c.claim || d.need == 0 || slices.ContainsFunc(d.usable, func(k int) bool { return c.columns[k] == nil }) {
			continue
		}
		constrained = true
		total += d.need
		if last == nil || !c.same(last, d) {
			unlimited = v.narrow(p, c, d, alive) || unlimited
			last = d
		}
	}
	if !constrained {
		return true
	}
	for n := range alive {
		if alive[n] && (unlimited || v.union[n] >= total) {
			return true
		}
	}
	return false
}

// same returns whether narrow has the same effect for the second demand as for the first.
func (c *valueConstraint) same(a, b *demand) bool {
	return len(a.usable) == 1 && len(b.usable) == 1 && a.need >= b.need && a.admin == b.admin &&
		&c.columns[a.usable[0]][0] == &c.columns[b.usable[0]][0] && slices.Equal(a.free, b.free)
}

// narrow keeps the values that have enough devices for one demand, and counts the devices for all demands. It
// returns whether one of the devices can serve several demands.
func (v *valueBounds) narrow(p *pruner, c *valueConstraint, d *demand, alive []bool) (unlimited bool) {
	v.enough = cleared(v.enough, len(alive))
	enough := v.enough
	for _, k := range d.usable {
		v.count = cleared(v.count, len(alive))
		for w, word := range p.free[k] {
			unlimited = unlimited || d.admin || word&p.s.word(w).shared != 0
			for rest := word; rest != 0; rest &= rest - 1 {
				fresh := v.seen[w]&(rest&-rest) == 0
				for _, n := range c.columns[k][w*bits.WordSize+bits.First(rest)] {
					v.count[n]++
					if fresh {
						v.union[n]++
					}
				}
			}
			v.seen[w] |= word
			p.s.steps += bits.Ones(word) / 16
		}
		for n := range enough {
			enough[n] = enough[n] || v.count[n] >= d.need
		}
	}
	for n := range alive {
		alive[n] = alive[n] && enough[n]
	}
	return unlimited
}
