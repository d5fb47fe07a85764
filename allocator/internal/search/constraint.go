// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"fmt"
	"slices"

	"github.com/draconform/draconform/allocator/internal/plan"
	"github.com/draconform/draconform/allocator/internal/selector"
	"github.com/draconform/draconform/internal/fault"
)

// constraintState is the state of one constraint for the devices chosen so far.
type constraintState struct {
	// values are the values of all devices for a distinctAttribute.
	values []selector.Value
	// common[n-1] is the intersection of the values of the first n devices for a matchAttribute.
	common [][]uint32
}

// appendEmpty appends a state without devices. It reuses the memory of an earlier state if possible.
func appendEmpty(list []constraintState) []constraintState {
	n := len(list)
	if n == cap(list) {
		return append(list, constraintState{})
	}
	list = list[:n+1]
	list[n].values, list[n].common = list[n].values[:0], list[n].common[:0]
	return list
}

// forget clears references to other objects and keeps the memory.
func (c *constraintState) forget() {
	clear(c.values)
	clear(c.common)
}

// constrain adds the device to all constraints of the claim, in order. It stops at the first constraint that is
// violated. The number of earlier constraints is recorded for relax.
func (s *searcher) constrain(a *alternative, position int, p *placed) (bool, error) {
	if !a.Constrained {
		p.constraints = len(a.Constraints)
		return true, nil
	}
	if n := len(s.picks); fault.ComparesFirstOfRequest && n > 0 && s.picks[n-1].Alternative == a.index {
		return true, nil
	}
	if fault.ConstrainsCountsOnly && a.All || fault.AdminIgnoresConstraints && a.Admin {
		return true, nil
	}
	constraints := s.Plan.Claims[a.Claim].Constraints
	for i := range constraints {
		if a.Constraints[i] {
			value, err := s.value(a, &constraints[i], position)
			if err != nil || !s.admit(&constraints[i], &s.constraints[s.firstOf[a.Claim]+i], value) {
				if fault.KeepsRejectedDevices {
					p.constraints = 0
				}
				return false, err
			}
		}
		p.constraints++
	}
	return true, nil
}

// relax removes the device from the constraints to which it was added.
func (s *searcher) relax(a *alternative, p *placed) {
	if !a.Constrained {
		return
	}
	for i := p.constraints - 1; i >= 0; i-- {
		if !a.Constraints[i] {
			continue
		}
		state := &s.constraints[s.firstOf[a.Claim]+i]
		if s.Plan.Claims[a.Claim].Constraints[i].Distinct {
			if fault.KeepsDistinctValues {
				continue
			}
			state.values[len(state.values)-1] = selector.Value{}
			state.values = state.values[:len(state.values)-1]
		} else {
			state.common[len(state.common)-1] = nil
			state.common = state.common[:len(state.common)-1]
		}
	}
}

// value returns the attribute value that a constraint compares. A derived attribute of the request takes precedence
// over an attribute of the device.
func (s *searcher) value(a *alternative, c *plan.Constraint, position int) (selector.Value, error) {
	slice, i := s.device(position)
	derived := a.Derived[c.Name]
	if derived == nil {
		return c.Attribute.Values(slice)[i], nil
	}
	if err := derived.CompileError(); err != nil {
		return selector.Value{}, fmt.Errorf("compile derived attribute %s failed: %w", c.Name, err)
	}
	value, err := derived.Value(s.ctx, slice, i)
	if err != nil {
		return selector.Value{}, fmt.Errorf("evaluate derived attribute %s on device %s failed: %w", c.Name, slice.ID(i), err)
	}
	return value, nil
}

// admit adds a value if the constraint allows it in addition to the earlier values.
func (s *searcher) admit(c *plan.Constraint, state *constraintState, v selector.Value) bool {
	if !v.Set {
		return false
	}
	if c.Distinct {
		if !s.distinct(state, v) && !fault.IgnoresDistinctAttribute {
			return false
		}
		state.values = append(state.values, v)
		return true
	}
	common, ok := s.match(state, v)
	ok = ok || fault.IgnoresMatchAttribute
	if ok {
		state.common = append(state.common, common)
	}
	return ok
}

// distinct returns whether a value differs from the values of all earlier devices. Lists must be disjoint. A value
// of an unknown type is not distinct. Without list attributes, the first value may be of an unknown type.
func (s *searcher) distinct(state *constraintState, v selector.Value) bool {
	if s.Features.ListTypeAttributes {
		if len(v.IDs) == 0 {
			return false
		}
		for i := range state.values {
			if intersects(state.values[i].IDs, v.IDs) {
				return false
			}
		}
		return true
	}
	for i := range state.values {
		if v.Own == 0 || slices.Contains(state.values[i].IDs, v.Own) {
			return false
		}
	}
	return true
}

// match returns the intersection of the earlier values and the new value, and whether the constraint is satisfied.
// Without list attributes, every value must equal the value of the first device. The first value may be of an
// unknown type if no other device follows.
func (s *searcher) match(state *constraintState, v selector.Value) ([]uint32, bool) {
	first := len(state.common) == 0
	if !s.Features.ListTypeAttributes {
		if first {
			return v.IDs, true
		}
		return state.common[0], v.Own != 0 && slices.Contains(state.common[0], v.Own)
	}
	if first {
		return v.IDs, len(v.IDs) > 0
	}
	last := state.common[len(state.common)-1]
	start := len(s.idArena)
	s.idArena = appendCommon(s.idArena, last, v.IDs)
	both := s.idArena[start:len(s.idArena):len(s.idArena)]
	return both, len(both) > 0
}

// appendCommon appends the intersection of two ascending lists.
func appendCommon(to, a, b []uint32) []uint32 {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			to = append(to, a[0])
			a, b = a[1:], b[1:]
		}
	}
	return to
}

// intersects returns whether two ascending lists have a common element.
func intersects(a, b []uint32) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			return true
		}
	}
	return false
}
