// Package capacity works out how much of a device's capacities one allocation consumes (KEP-5075), and
// whether the device's request policies allow that. It is pure arithmetic on quantities.
package capacity

import (
	"errors"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/internal/fault"
)

// Requests is what a request asks of a device's capacities. Nil asks for nothing in particular.
type Requests = map[resourceapi.QualifiedName]resource.Quantity

// Capacities is what a device has.
type Capacities = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity

var (
	errNotRepresentable = errors.New("capacity request cannot be represented in the device's range arithmetic")
	errNegative         = errors.New("capacity value is negative")
)

// Consumed returns what an allocation for the requests takes of every capacity of the device. ok is false
// if the device has not got what is asked for or its policies do not allow the amount; how much is left
// does not matter. An error means that an amount makes no sense, so that the claim cannot be allocated
// anywhere.
func Consumed(requests Requests, capacities Capacities, fractional bool) (amounts Requests, ok bool, err error) {
	for name := range requests {
		if _, found := capacities[name]; !found {
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
		amounts[name] = amount
	}
	for name := range capacities {
		if violates(amounts[name], capacities[name].RequestPolicy, fractional) {
			return nil, false, nil
		}
	}
	return amounts, true, nil
}

// consumed is the amount of one capacity: without a request the policy's default or else all of it,
// with one the request rounded up to what the policy can give.
func consumed(requests Requests, name resourceapi.QualifiedName, capacity *resourceapi.DeviceCapacity, fractional bool) (resource.Quantity, error) {
	policy := capacity.RequestPolicy
	requested, asked := requests[name]
	switch {
	case !asked && policy != nil && policy.Default != nil:
		return policy.Default.DeepCopy(), nil
	case !asked:
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

// violates tells whether a policy forbids an amount. The default is always allowed; like upstream it is
// recognised by its representation, so the same number written differently goes through the policy.
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
