package allocator

import (
	"context"
	"fmt"
	"slices"

	"github.com/draconform/draconform/allocator/internal/plan"
	"github.com/draconform/draconform/allocator/internal/selector"
)

// constrained returns the constraint of the claim that excludes a device, or nil.
func (b *books) constrained(ctx context.Context, a *plan.Alternative, position int) *Reason {
	for j, applies := range a.Constraints {
		if !applies {
			continue
		}
		c := &b.Plan.Claims[a.Claim].Constraints[j]
		value, err := b.value(ctx, a, j, position)
		others := b.values[constraintKey{a.Claim, j}]
		name, verb := string(c.Name), "matchAttribute"
		if c.Distinct {
			verb = "distinctAttribute"
		}
		reason := &Reason{Kind: ReasonConstraint, Name: name}
		switch {
		case err != nil:
			reason.Message = fmt.Sprintf("%s %s fails: %s", verb, name, oneLine(err))
		case !value.Set || b.Features.ListTypeAttributes && len(value.IDs) == 0:
			reason.Message = fmt.Sprintf("%s %s: the device has no such attribute", verb, name)
		case c.Distinct && !b.apart(others, value), !c.Distinct && !b.alike(others, value):
			reason.Need, reason.Left = b.memo.Text(value), b.memo.Text(others[0].Value)
			reason.Message = fmt.Sprintf("%s %s: %s here, %s on %s", verb, name, reason.Need, reason.Left, b.name(others[0].position))
		default:
			continue
		}
		return reason
	}
	return nil
}

func (b *books) apart(others []chosenValue, v selector.Value) bool {
	for i := range others {
		ids := []uint32{v.Own}
		if b.Features.ListTypeAttributes {
			ids = v.IDs
		} else if v.Own == 0 {
			return false
		}
		if slices.ContainsFunc(ids, func(id uint32) bool { return slices.Contains(others[i].IDs, id) }) {
			return false
		}
	}
	return true
}

func (b *books) alike(others []chosenValue, v selector.Value) bool {
	if len(others) == 0 {
		return true
	}
	if !b.Features.ListTypeAttributes {
		return v.Own != 0 && slices.Contains(others[0].IDs, v.Own)
	}
	return slices.ContainsFunc(v.IDs, func(id uint32) bool {
		return !slices.ContainsFunc(others, func(o chosenValue) bool { return !slices.Contains(o.IDs, id) })
	})
}
