package search

import "github.com/draconform/draconform/allocator/internal/pools"

// pool returns the state of a pool's counters, as a copy that may be changed.
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

// consume takes counters. It fails, and takes nothing, if any counter of the pool is below zero then: also
// one that the device does not use, because a pool that is overdrawn gives nothing away.
func (s *searcher) consume(pool int, c *pools.Consumption) bool {
	p := s.pool(pool)
	for i := range c.Deltas {
		left := &p.left[c.Deltas[i].Counter]
		before := left.Sign() < 0
		*left = left.Sub(c.Deltas[i].Amount)
		p.account(before, left.Sign() < 0)
	}
	if p.negative == 0 {
		return true
	}
	s.giveBack(pool, c)
	return false
}

func (s *searcher) giveBack(pool int, c *pools.Consumption) {
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

// joinGroups lets a device join the others on each of its counter sets if the compatibility groups allow it.
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

// leaveGroups undoes what joinGroups did since the trail had the given length.
func (s *searcher) leaveGroups(mark int) {
	for i := len(s.groupTrail) - 1; i >= mark; i-- {
		change := &s.groupTrail[i]
		s.pools[change.pool].groups[change.set] = change.before
		*change = groupChange{}
	}
	s.groupTrail = s.groupTrail[:mark]
}
