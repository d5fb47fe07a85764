// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"github.com/draconform/draconform/allocator/internal/number"
	"github.com/draconform/draconform/allocator/internal/selector"
	"github.com/draconform/draconform/internal/fault"
)

// ledger is the remaining capacity of a device that allows multiple allocations.
type ledger struct {
	left  []number.N // In ascending order of the names of the capacities.
	picks int        // The number of shares chosen in this search.
}

// ledger returns the ledger of the device at a position. It creates it from the capacities and the consumed
// capacity.
func (s *searcher) ledger(state *wordState, position int, bit uint64) *ledger {
	if l := s.ledgers[position]; l != nil {
		return l
	}
	slice, i := s.device(position)
	capacities := slice.Capacities(i)
	l := s.spareLedger()
	l.left = append(l.left[:0], capacities.Values...)
	if state.ledger&bit != 0 {
		used := s.Allocated.Device(slice.ID(i)).Consumed
		for j, name := range capacities.Names {
			if q := used[name]; q != nil {
				l.left[j] = l.left[j].Sub(number.From(*q))
				if fault.TakesOverdrawnForFree && l.left[j].Sign() < 0 {
					l.left[j] = capacities.Values[j]
				}
			}
		}
	}
	if s.ledgers == nil {
		s.ledgers = map[int]*ledger{}
	}
	s.ledgers[position] = l
	return l
}

// spareLedger returns an unused ledger of an earlier search, or a new one.
func (s *searcher) spareLedger() *ledger {
	n := len(s.spare)
	if n == 0 {
		return &ledger{}
	}
	l := s.spare[n-1]
	s.spare = s.spare[:n-1]
	l.picks = 0
	return l
}

// dropLedgers makes all ledgers available for reuse.
func (s *searcher) dropLedgers() {
	for _, l := range s.ledgers {
		s.spare = append(s.spare, l)
	}
	clear(s.ledgers)
}

// capacityLeft returns whether the remaining capacity of the device suffices for the alternative.
func (s *searcher) capacityLeft(a *alternative, state *wordState, position int, bit uint64) bool {
	if state.ledger&bit == 0 || a.Requirement == nil {
		return true
	}
	use := s.use(a, position)
	if use == nil {
		return true
	}
	return s.ledger(state, position, bit).covers(use)
}

func (l *ledger) covers(use *selector.Use) bool {
	for i := range use.Amounts {
		if fault.ComparesTwoCapacities && i > 1 {
			break
		}
		if use.Amounts[i].Cmp(l.left[i]) > 0 {
			return fault.OverdrawsCapacity
		}
	}
	return true
}

func (l *ledger) consume(use *selector.Use) {
	l.picks++
	if fault.ChargesFirstShareOnly && l.picks > 1 {
		return
	}
	if use != nil {
		for i := range use.Amounts {
			l.left[i] = l.left[i].Sub(use.Amounts[i])
		}
	}
}

func (l *ledger) release(use *selector.Use) {
	l.picks--
	if use != nil {
		for i := range use.Amounts {
			l.left[i] = l.left[i].Add(use.Amounts[i])
		}
	}
}
