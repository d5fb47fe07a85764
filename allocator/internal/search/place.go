// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"fmt"

	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/plan"
	"github.com/draconform/draconform/allocator/internal/pools"
	"github.com/draconform/draconform/internal/fault"
)

// placed records the changes that unplace must undo.
type placed struct {
	newlyUsed   bool
	counters    bool
	groups      int // The length of the trail before.
	constraints int // The number of constraints that contain the device.
	ids         int // The length of the arena before.
	shared      bool
	locked      bool // The choice holds a lock on the device.
}

// place allocates the device at a position if all rules that depend on other choices allow it. With must, the device
// belongs to a request for all devices. A violated constraint is then an error.
func (s *searcher) place(a *alternative, position int, must bool) (placed, bool, error) {
	w, bit := bits.Bit(position)
	state := s.word(w)
	if n := len(s.picks); fault.ComparesTaintsOfFirst && a.need > 1 && (n == 0 || s.picks[n-1].Alternative != a.index) {
		if slice, i := s.device(position); s.Features.DeviceTaints && repelled(a, slice, i) {
			return placed{}, false, nil
		}
	}
	if !must && !s.capacityLeft(a, state, position, bit) {
		return placed{}, false, nil
	}
	if s.Affinity != nil && !s.agrees(a, position) {
		return placed{}, false, nil
	}
	word := &s.Node.Words[w]
	p := placed{groups: len(s.groupTrail), ids: len(s.idArena), shared: state.shared&bit != 0}
	if fault.SharesByCapacityOnly && word.Slice.Flags(word.First/bits.WordSize).Capacity&bit == 0 {
		p.shared = false
	}
	if s.consumesCounters(a, word, position, bit, p.shared) && (!fault.ForgetsOwnDevices || s.results[a.Claim] == 0) {
		consumption := s.consumption(word, position)
		if s.Features.CompatibilityGroups && !s.joinGroups(word.Pool, consumption) {
			return placed{}, false, nil
		}
		p.counters = s.consumeCounters(word.Pool, consumption)
		if !p.counters {
			s.leaveGroups(p.groups)
			return placed{}, false, nil
		}
	}
	ok, err := s.constrain(a, position, &p)
	if !ok || err != nil {
		s.rollback(a, position, &p)
		if err == nil && must && !s.Fixes.AllConflictIsNoFit {
			slice, i := s.device(position)
			err = fmt.Errorf("claim %s, request %s: cannot add device %s because a claim constraint would not be satisfied",
				plan.ClaimName(s.Plan.Claims[a.Claim].API), a.Name, slice.ID(i))
		}
		return placed{}, false, err
	}
	if must && !fault.OverdrawsForAllDevices && !s.capacityLeft(a, state, position, bit) {
		s.rollback(a, position, &p)
		return placed{}, false, nil
	}
	s.commit(a, state, position, bit, &p)
	return p, true, nil
}

func (s *searcher) commit(a *alternative, state *wordState, position int, bit uint64, p *placed) {
	pick := Pick{Alternative: a.index, Position: position, Shared: p.shared}
	if p.shared {
		if n := len(s.picks); !fault.ConsumesOneShareOfRequest || a.All || n == 0 || s.picks[n-1].Alternative != a.index {
			pick.Use = s.use(a, position)
		}
		s.ledger(state, position, bit).consume(pick.Use)
		p.locked = s.lock(a, position)
	} else {
		p.newlyUsed = state.inUse&bit == 0
		state.inUse |= bit
		if len(s.taken) > 0 {
			s.taken[a.Claim*len(s.words)+position/bits.WordSize] |= bit
			if fault.AdminComparesNamesOnly && a.Admin {
				s.takeNamesakes(a, position)
			}
		}
	}
	s.results[a.Claim]++
	s.picks = append(s.picks, pick)
}

// takeNamesakes takes all devices with the name of the one at a position for devices of the claim, as a fault sees them.
func (s *searcher) takeNamesakes(a *alternative, position int) {
	slice, i := s.device(position)
	for w := range s.Node.Words {
		word := &s.Node.Words[w]
		devices := word.Slice.API.Spec.Devices[word.First:]
		for j := range devices[:min(bits.WordSize, len(devices))] {
			if devices[j].Name == slice.API.Spec.Devices[i].Name {
				s.taken[a.Claim*len(s.words)+w] |= 1 << j
			}
		}
	}
}

// unplace undoes a successful place. Devices must be removed in reverse order.
func (s *searcher) unplace(a *alternative, position int, p *placed) {
	w, bit := bits.Bit(position)
	pick := &s.picks[len(s.picks)-1]
	if p.locked {
		s.unlock(position)
	}
	if p.shared {
		s.ledgers[position].release(pick.Use)
	} else {
		if p.newlyUsed {
			s.words[w].inUse &^= bit
		}
		if len(s.taken) > 0 {
			s.taken[a.Claim*len(s.words)+w] &^= bit
		}
	}
	*pick = Pick{}
	s.picks = s.picks[:len(s.picks)-1]
	s.results[a.Claim]--
	s.rollback(a, position, p)
}

func (s *searcher) rollback(a *alternative, position int, p *placed) {
	s.relax(a, p)
	word := &s.Node.Words[position/bits.WordSize]
	if p.counters {
		s.releaseCounters(word.Pool, s.consumption(word, position))
	}
	s.leaveGroups(p.groups)
	s.idArena = s.idArena[:p.ids]
}

// consumesCounters returns whether the device consumes counters in the current state. A shared device consumes them once,
// with its first share.
func (s *searcher) consumesCounters(a *alternative, word *pools.Word, position int, bit uint64, shared bool) bool {
	if word.Slice.Flags(word.First/bits.WordSize).Consumes&bit == 0 || s.Node.Pools[word.Pool].Core == nil {
		return false
	}
	if a.Admin && s.Fixes.AdminAccessIgnoresCounters {
		return false
	}
	if !shared {
		return true
	}
	if l := s.ledgers[position]; l != nil && l.picks > 0 {
		return false
	}
	slice, i := s.device(position)
	return !s.Allocated.Device(slice.ID(i)).Shared()
}

func (s *searcher) consumption(word *pools.Word, position int) *pools.Consumption {
	return s.Node.Pools[word.Pool].Core.Consumption(word.Slice, word.First+position%bits.WordSize)
}
