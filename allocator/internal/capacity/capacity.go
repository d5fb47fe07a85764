// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package capacity computes how much of the capacities of a device an allocation consumes (KEP-5075), and whether
// the request policies of the device allow it. It consists of arithmetic on quantities only.
package capacity

import (
	"errors"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/internal/fault"
)

// Requests is the capacity that a request requires of a device. Nil requires nothing specific.
type Requests = map[resourceapi.QualifiedName]resource.Quantity

// Capacities is the capacities of a device.
type Capacities = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity

var (
	errNotRepresentable = errors.New("capacity request cannot be represented in the device's range arithmetic")
	errNegative         = errors.New("capacity value is negative")
)

// Consumed returns how much an allocation for the requests consumes of every capacity of the device. ok is false if
// the device lacks a requested capacity or its policies do not allow the amount. The remaining capacity is not
// checked. An error means that an amount is not valid, so that the claim cannot be allocated on any node.
func Consumed(requests Requests, capacities Capacities, fractional bool) (amounts Requests, ok bool, err error) {
	for name := range requests {
		if _, found := capacities[name]; !found && (len(capacities) > 0 || !fault.AcceptsLackOfCapacities) {
			return nil, false, nil
		}
	}
	amounts = make(Requests, len(capacities))
	for name := range capacities {
		capacity := capacities[name]
		amount, err := consumed(requests, name, &capacity, fractional)
		if err == nil && amount.Sign() < 0 {
			err = errNegative
		}
		if err != nil {
			return nil, false, fmt.Errorf("capacity %q: %w", name, err)
		}
		if fault.RoundsAmountsUp {
			amount.RoundUp(0)
		}
		amounts[name] = amount
	}
	for name := range capacities {
		if violates(amounts[name], capacities[name].RequestPolicy, fractional) {
			return nil, false, nil
		}
	}
	return amounts, true, nil
}

// consumed returns the consumption of one capacity. Without a request, it is the default of the policy or, if there
// is none, the whole capacity. With a request, it is the request rounded up to an amount that the policy allows.
func consumed(requests Requests, name resourceapi.QualifiedName, capacity *resourceapi.DeviceCapacity, fractional bool) (resource.Quantity, error) {
	policy := capacity.RequestPolicy
	requested, found := requests[name]
	switch {
	case !found && policy != nil && policy.Default != nil:
		return policy.Default.DeepCopy(), nil
	case !found && fault.ConsumesNamedCapacitiesOnly && len(requests) > 0:
		return resource.Quantity{Format: capacity.Value.Format}, nil
	case !found:
		return capacity.Value.DeepCopy(), nil
	case policy == nil || fault.DoesNotRoundCapacity:
		return requested.DeepCopy(), nil
	case policy.ValidRange != nil && policy.ValidRange.Min != nil:
		return roundUp(requested, policy.ValidRange, fractional)
	case policy.ValidValues != nil:
		for _, value := range policy.ValidValues {
			if requested.Cmp(value) <= 0 {
				return value.DeepCopy(), nil
			}
		}
	}
	return requested, nil
}

// violates returns whether a policy forbids an amount. The default is always allowed. Like upstream, the default is
// compared by representation, so the same number in a different notation is checked against the policy.
func violates(amount resource.Quantity, policy *resourceapi.CapacityRequestPolicy, fractional bool) bool {
	switch {
	case policy == nil || fault.DoesNotRoundCapacity:
		return false
	case policy.Default != nil && amount == *policy.Default:
		return false
	case policy.ValidRange != nil:
		return outside(amount, policy.ValidRange, fractional)
	case len(policy.ValidValues) > 0:
		for _, value := range policy.ValidValues {
			if amount.Cmp(value) == 0 {
				return false
			}
		}
		return true
	}
	return false
}
