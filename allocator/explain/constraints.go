// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"
	"fmt"
	"slices"

	"github.com/draconform/draconform/allocator/internal/plan"
	"github.com/draconform/draconform/allocator/internal/selector"
)

// constrained returns the constraint of the claim that excludes a device, or nil.
func (u *nodeUsage) constrained(ctx context.Context, a *plan.Alternative, position int) *Reason {
	for j, applies := range a.Constraints {
		if !applies {
			continue
		}
		c := &u.Plan.Claims[a.Claim].Constraints[j]
		value, err := u.value(ctx, a, j, position)
		others := u.values[constraintKey{a.Claim, j}]
		name, verb := string(c.Name), "matchAttribute"
		if c.Distinct {
			verb = "distinctAttribute"
		}
		reason := &Reason{Kind: ReasonConstraint, Name: name}
		switch {
		case err != nil:
			reason.Message = fmt.Sprintf("%s %s fails: %s", verb, name, oneLine(err))
		case !value.Set || u.Features.ListTypeAttributes && len(value.IDs) == 0:
			reason.Message = fmt.Sprintf("%s %s: the device has no such attribute", verb, name)
		case c.Distinct && !u.distinct(others, value), !c.Distinct && !u.matching(others, value):
			if !u.Features.ListTypeAttributes && (value.Own == 0 || others[0].Own == 0) {
				return featureOff("DRAListTypeAttributes", fmt.Sprintf("%s %s compares a list of values", verb, name))
			}
			reason.Need, reason.Left = u.memo.Text(value), u.memo.Text(others[0].Value)
			reason.Message = fmt.Sprintf("%s %s: %s here, %s on %s", verb, name, reason.Need, reason.Left, u.name(others[0].position))
		default:
			continue
		}
		return reason
	}
	return nil
}

// distinct returns whether a value differs from those of the devices that were chosen before.
func (u *nodeUsage) distinct(others []chosenValue, v selector.Value) bool {
	for i := range others {
		ids := []uint32{v.Own}
		if u.Features.ListTypeAttributes {
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

// matching returns whether a value matches those of the devices that were chosen before.
func (u *nodeUsage) matching(others []chosenValue, v selector.Value) bool {
	if len(others) == 0 {
		return true
	}
	if !u.Features.ListTypeAttributes {
		return v.Own != 0 && slices.Contains(others[0].IDs, v.Own)
	}
	return slices.ContainsFunc(v.IDs, func(id uint32) bool {
		return !slices.ContainsFunc(others, func(o chosenValue) bool { return !slices.Contains(o.IDs, id) })
	})
}
