package search

import (
	"fmt"
	"slices"

	"github.com/draconform/draconform/allocator/internal/plan"
	"github.com/draconform/draconform/allocator/internal/selector"
	"github.com/draconform/draconform/internal/fault"
)

// constraintState is the devices one constraint has seen.
type constraintState struct {
	// values are those of all devices of a distinctAttribute.
	values []selector.Value
	// common is, for a matchAttribute, what the first n devices have in common.
	common [][]uint32
}

// appendEmpty appends a state without devices, in the memory of an earlier one if there is any.
func appendEmpty(list []constraintState) []constraintState {
	n := len(list)
	if n == cap(list) {
		return append(list, constraintState{})
	}
	list = list[:n+1]
	list[n].values, list[n].common = list[n].values[:0], list[n].common[:0]
	return list
}

// forget drops what belongs to others, and keeps the memory.
func (c *constraintState) forget() {
	clear(c.values)
	clear(c.common)
}

// constrain lets all constraints of the claim take the device in, in order. It stops at the first that
// does not; what was taken in until then is recorded.
func (s *searcher) constrain(a *alternative, position int, p *placed) (bool, error) {
	if !a.Constrained {
		p.constraints = len(a.Constraints)
		return true, nil
	}
	constraints := s.Plan.Claims[a.Claim].Constraints
	for i := range constraints {
		if a.Constraints[i] {
			value, err := s.value(a, &constraints[i], position)
			if err != nil || !s.admit(&constraints[i], &s.constraints[s.firstOf[a.Claim]+i], value) {
				return false, err
			}
		}
		p.constraints++
	}
	return true, nil
}

// relax takes the device out of the constraints that took it in.
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
			state.values[len(state.values)-1] = selector.Value{}
			state.values = state.values[:len(state.values)-1]
		} else {
			state.common[len(state.common)-1] = nil
			state.common = state.common[:len(state.common)-1]
		}
	}
}

// value returns the attribute a constraint compares, for a device and the alternative that wants it: a derived
// attribute of the request comes before one of the device.
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

// admit adds a value if the constraint allows it beside those it has.
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

// distinct tells whether a value differs from those of all devices so far; lists must have nothing in
// common. A value of no known type differs from nothing, except that without lists the first may be one.
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

// match returns what all devices have in common with a further value, and whether that suffices. Without
// lists every value has to equal that of the first device, which may be of no known type if it stays alone.
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

// appendCommon appends what two ascending lists have in common.
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

// intersects tells whether two ascending lists have something in common.
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
