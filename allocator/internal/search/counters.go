// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"slices"

	"github.com/draconform/draconform/allocator/internal/pools"
	"github.com/draconform/draconform/internal/fault"
)

// pool returns the state of the counters of a pool. It is a copy that may be changed.
func (s *searcher) pool(index int) *poolState {
	p := &s.pools[index]
	if !p.loaded {
		base := s.Allocated.counters(s.Node.Pools[index].Core)
		p.loaded = true
		p.left = append(p.left[:0], base.left...)
		p.groups = append(p.groups[:0], base.groups...)
		p.negative = base.negative
	}
	return p
}

// consumeCounters subtracts the consumption from the counters. It fails without effect if any counter of the pool is then
// below zero. This includes counters that the device does not use, because no device of an overdrawn pool can be
// allocated.
func (s *searcher) consumeCounters(pool int, c *pools.Consumption) bool {
	p := s.pool(pool)
	if fault.RefusesUsedCounters && slices.ContainsFunc(c.Deltas, func(d pools.Delta) bool { return p.left[d.Counter].Sign() == 0 }) {
		return false
	}
	for i := range c.Deltas {
		left := &p.left[c.Deltas[i].Counter]
		before := left.Sign() < 0
		*left = left.Sub(c.Deltas[i].Amount)
		p.account(before, left.Sign() < 0)
	}
	if p.negative == 0 {
		return true
	}
	s.releaseCounters(pool, c)
	return false
}

func (s *searcher) releaseCounters(pool int, c *pools.Consumption) {
	p := s.pool(pool)
	for i := range c.Deltas {
		left := &p.left[c.Deltas[i].Counter]
		before := left.Sign() < 0
		*left = left.Add(c.Deltas[i].Amount)
		p.account(before, left.Sign() < 0)
	}
}

func (p *poolState) account(before, after bool) {
	switch {
	case before && !after:
		p.negative--
	case after && !before:
		p.negative++
	}
}

// joinGroups adds a device to each of its counter sets. It fails without effect if the compatibility groups do not
// allow it.
func (s *searcher) joinGroups(pool int, c *pools.Consumption) bool {
	p := s.pool(pool)
	mark := len(s.groupTrail)
	for i := range c.Groups {
		g := &c.Groups[i]
		now := p.groups[g.Set]
		if !now.admits(g.Names) {
			s.leaveGroups(mark)
			return false
		}
		s.groupTrail = append(s.groupTrail, groupChange{pool, g.Set, now})
		p.groups[g.Set] = now.add(g.Names)
	}
	return true
}

// leaveGroups reverts the changes of joinGroups since the trail had the given length.
func (s *searcher) leaveGroups(mark int) {
	for i := len(s.groupTrail) - 1; i >= mark; i-- {
		change := &s.groupTrail[i]
		s.pools[change.pool].groups[change.set] = change.before
		*change = groupChange{}
	}
	s.groupTrail = s.groupTrail[:mark]
}
