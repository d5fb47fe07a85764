// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"github.com/draconform/draconform/allocator/internal/capacity"
	"github.com/draconform/draconform/allocator/internal/number"
	"github.com/draconform/draconform/allocator/internal/plan"
	"github.com/draconform/draconform/allocator/internal/pools"
)

// check returns why a device cannot be chosen in the current state, or nil if it can. matched reports whether class,
// selectors and node selection allow it.
func (u *nodeUsage) check(ctx context.Context, a *plan.Alternative, position int) (reason *Reason, matched bool) {
	if reason := u.notSelected(ctx, a, position); reason != nil {
		if used := u.inUse(a, position); reason.Kind == ReasonSelectorError && used != nil {
			return used, false // The allocator does not evaluate selectors for devices in use.
		}
		return reason, false
	}
	for _, rule := range []func(*plan.Alternative, int) *Reason{
		u.tooSmall, u.blocked, u.inUse, u.capacityGone, u.locked, u.groupsDiffer, u.countersGone,
	} {
		if reason := rule(a, position); reason != nil {
			return reason, true
		}
	}
	return u.constrained(ctx, a, position), true
}

// notSelected checks the features, selectors and node selection of a device.
func (u *nodeUsage) notSelected(ctx context.Context, a *plan.Alternative, position int) *Reason {
	word, i := u.device(position)
	flags, bit := u.flags(position)
	if !u.Features.DeviceBindingAndStatus && flags.Binding&bit != 0 {
		return featureOff("DRADeviceBindingConditions", "has binding conditions")
	}
	for j := range a.Checks {
		if reason := u.selectorFails(ctx, a, &a.Checks[j], word.Slice, i); reason != nil {
			return reason
		}
	}
	switch {
	case word.Errors&bit != 0:
		return &Reason{Kind: ReasonSelectorError, Message: fmt.Sprintf("its node selector cannot be used: %v", word.Slice.SelectionError(i))}
	case word.Reach&bit == 0:
		return &Reason{Kind: ReasonNode, Message: "its node selection does not match the node"}
	}
	return nil
}

func featureOff(name, why string) *Reason {
	return &Reason{Kind: ReasonFeature, Name: name, Message: fmt.Sprintf("%s, but the feature %s is disabled", why, name)}
}

// selectorFails evaluates one selector. A selector usually excludes most devices, so its message is formatted once.
func (u *nodeUsage) selectorFails(ctx context.Context, a *plan.Alternative, check *plan.Check, slice *pools.Slice, i int) *Reason {
	err := check.CompileError()
	ok := false
	if err == nil {
		ok, err = check.Matches(ctx, slice, i)
	}
	if err == nil && ok {
		return nil
	}
	kind := ReasonSelector
	if check.OfClass {
		kind = ReasonClass
	}
	if err != nil {
		return &Reason{Kind: ReasonSelectorError, Expression: check.Expression, Message: fmt.Sprintf("%s fails: %s", owner(a, check), oneLine(err))}
	}
	message, known := u.isFalse[check]
	if !known {
		expression := strings.Join(strings.Fields(check.Expression), " ")
		message = fmt.Sprintf("%s is false: %s", owner(a, check), shortened(expression, 160))
		u.isFalse[check] = message
	}
	return &Reason{Kind: kind, Expression: check.Expression, Message: message}
}

// owner returns the origin of a selector: the class or the request.
func owner(a *plan.Alternative, check *plan.Check) string {
	if check.OfClass {
		return fmt.Sprintf("selector #%d of class %s", check.Index, a.Class.Name)
	}
	return fmt.Sprintf("selector #%d", check.Index)
}

// tooSmall checks the capacities of a device against the request, without regard to allocations.
func (u *nodeUsage) tooSmall(a *plan.Alternative, position int) *Reason {
	if a.Requirement == nil {
		return nil
	}
	word, i := u.device(position)
	ok, err := a.Requirement.Fits(word.Slice, i)
	switch {
	case err != nil:
		return &Reason{Kind: ReasonCapacity, Message: oneLine(err)}
	case ok:
		return nil
	}
	requests := u.capacityRequests(a)
	device := &word.Slice.API.Spec.Devices[i]
	for _, name := range sortedNames(requests) {
		requested := requests[name]
		have, found := device.Capacity[name]
		switch {
		case !found:
			return &Reason{Kind: ReasonCapacity, Name: string(name), Need: requested.String(), Message: fmt.Sprintf("has no capacity %s", name)}
		case number.From(requested).Cmp(number.From(have.Value)) > 0:
			return &Reason{Kind: ReasonCapacity, Name: string(name), Need: requested.String(), Left: have.Value.String(),
				Message: fmt.Sprintf("capacity %s needs %s, the device has %s", name, requested.String(), have.Value.String())}
		}
	}
	return policyReason(requests, device, u.Features.FractionalCapacityRange)
}

// policyReason returns the reason for amounts that exceed the capacity only because of a request policy, or that the
// policy does not allow.
func policyReason(requests capacity.Requests, device *resourceapi.Device, fractional bool) *Reason {
	amounts, allowed, err := capacity.Consumed(requests, device.Capacity, fractional)
	if err == nil && allowed {
		for _, name := range sortedNames(amounts) {
			amount, have := amounts[name], device.Capacity[name].Value
			if number.From(amount).Cmp(number.From(have)) > 0 {
				return &Reason{Kind: ReasonCapacity, Name: string(name), Need: amount.String(), Left: have.String(),
					Message: fmt.Sprintf("capacity %s needs %s by its request policy, the device has %s", name, amount.String(), have.String())}
			}
		}
	}
	return &Reason{Kind: ReasonCapacity, Message: "the request policy of a capacity does not allow the requested amount"}
}

func (u *nodeUsage) capacityRequests(a *plan.Alternative) capacity.Requests {
	request := &u.Plan.Requests[a.Request]
	requirements := (*resourceapi.CapacityRequirements)(nil)
	if request.API.Exactly != nil {
		requirements = request.API.Exactly.Capacity
	}
	for i := range request.API.FirstAvailable {
		if request.API.FirstAvailable[i].Name == a.Name {
			requirements = request.API.FirstAvailable[i].Capacity
		}
	}
	if requirements == nil {
		return nil
	}
	return requirements.Requests
}

// blocked checks features, node operations and taints of a device.
func (u *nodeUsage) blocked(a *plan.Alternative, position int) *Reason {
	word, i := u.device(position)
	flags, bit := u.flags(position)
	if len(word.Slice.API.Spec.SkipNodeOperations) > 0 {
		switch {
		case !u.Features.OptionalNodeOperations:
			return featureOff("DRAOptionalNodeOperations", "skips node operations")
		case !u.SkipsNodeOperations:
			return &Reason{Kind: ReasonNodeOperations, Message: "skips node operations, which the node does not declare to support"}
		}
	}
	if !u.Features.PartitionableDevices && flags.Consumes&bit != 0 {
		return featureOff("DRAPartitionableDevices", "consumes counters")
	}
	if !u.Features.DeviceTaints {
		return nil
	}
	for _, taint := range word.Slice.API.Spec.Devices[i].Taints {
		tolerates := func(t resourceapi.DeviceToleration) bool { return resourceclaim.ToleratesTaint(t, taint) }
		if pools.Repels(&taint) && !slices.ContainsFunc(a.Tolerations, tolerates) {
			text := taint.Key
			if taint.Value != "" {
				text += "=" + taint.Value
			}
			return &Reason{Kind: ReasonTaint, Name: taint.Key, Message: fmt.Sprintf("taint %s:%s is not tolerated", text, taint.Effect)}
		}
	}
	return nil
}

// inUse checks whether a device is allocated or chosen. Admin access conflicts only with choices of the same claim.
func (u *nodeUsage) inUse(a *plan.Alternative, position int) *Reason {
	word, i := u.device(position)
	if chosen, ok := u.exclusive[position]; ok && (!a.Admin || u.Plan.Alternatives[chosen.alternative].Claim == a.Claim) {
		by := u.Plan.RequestName(u.Plan.Alternatives[chosen.alternative].Request)
		return &Reason{Kind: ReasonTaken, Message: "chosen for " + by}
	}
	used := u.Allocated.Device(word.Slice.ID(i))
	live := u.Fixes.LiveShareBlocksDedicated && used.Shared() && !u.isShared(position)
	if !a.Admin && (used.Alone || live) {
		return &Reason{Kind: ReasonInUse, Message: "in use"}
	}
	return nil
}

func (u *nodeUsage) capacityGone(a *plan.Alternative, position int) *Reason {
	word, i := u.device(position)
	consumed := u.Allocated.Device(word.Slice.ID(i)).Consumed
	if a.Requirement == nil || !u.isShared(position) && consumed == nil {
		return nil
	}
	use := a.Requirement.Use(word.Slice, i)
	if use == nil {
		return nil
	}
	remaining := u.remaining(position)
	for j, name := range word.Slice.Capacities(i).Names {
		if use.Amounts[j].Cmp(remaining[j]) > 0 {
			need, free := quantity(use.Amounts[j]), quantity(remaining[j])
			return &Reason{Kind: ReasonCapacityLeft, Name: string(name), Need: need, Left: free,
				Message: fmt.Sprintf("capacity %s needs %s, %s left", name, need, free)}
		}
	}
	return nil
}
