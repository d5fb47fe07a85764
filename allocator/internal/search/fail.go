// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"github.com/draconform/draconform/allocator/internal/bits"
)

// canFail evaluates every device that can be requested and every attribute that can be compared. It returns whether
// one of these evaluations fails, or whether all devices of a request may violate a constraint, which is also an
// error. If it returns false, no choice can end in an error, and it is safe to skip choices.
func (s *searcher) canFail() (bool, error) {
	for i := range s.alternatives {
		a := &s.alternatives[i]
		for w := range s.Node.Words {
			if s.fails(a, w) {
				return true, s.interrupted()
			}
		}
		if a.All && a.Constrained && !s.Fixes.AllConflictIsNoFit && s.mayConflict(a) {
			return true, nil
		}
	}
	return false, nil
}

// fails evaluates word w for an alternative. It does not evaluate devices that are already allocated.
func (s *searcher) fails(a *alternative, w int) bool {
	v := s.verdict(a, w)
	for rest := s.available(a, w) &^ v.known; rest != 0; rest &= rest - 1 {
		if s.evaluate(a, w, rest&-rest, v) != nil {
			return true
		}
	}
	if len(a.Derived) == 0 || !a.Constrained {
		return false
	}
	for i := range a.Constraints {
		c := &s.Plan.Claims[a.Claim].Constraints[i]
		if !a.Constraints[i] || a.Derived[c.Name] == nil {
			continue
		}
		for rest := v.yes; rest != 0; rest &= rest - 1 {
			if _, err := s.value(a, c, w*bits.WordSize+bits.First(rest)); err != nil {
				return true
			}
		}
	}
	return false
}

// mayConflict returns whether all devices of a request can violate a constraint. They cannot if the constraint
// applies to no other request and they satisfy it.
func (s *searcher) mayConflict(a *alternative) bool {
	for i, applies := range a.Constraints {
		if !applies {
			continue
		}
		for j := range s.alternatives {
			if b := &s.alternatives[j]; j != a.index && b.Claim == a.Claim && b.Constraints[i] {
				return true
			}
		}
		c := &s.Plan.Claims[a.Claim].Constraints[i]
		var state constraintState
		for _, position := range a.all {
			value, err := s.value(a, c, position)
			if err != nil || !s.admit(c, &state, value) {
				return true
			}
		}
	}
	return false
}
