package check

import (
	"errors"
	"fmt"
	"math/big"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// consumed returns how much of a capacity one allocation of the device consumes
// (KEP-5075, DeviceCapacity.requestPolicy), and whether the policy allows that.
func consumed(request *resource.Quantity, capacity resourceapi.DeviceCapacity) (*big.Rat, bool) {
	policy := capacity.RequestPolicy
	if request == nil {
		if policy != nil && policy.Default != nil {
			return exact(*policy.Default), true
		}
		return exact(capacity.Value), policy == nil || allowed(exact(capacity.Value), policy)
	}
	value := exact(*request)
	if policy == nil {
		return value, true
	}
	switch {
	case policy.ValidRange != nil:
		value = roundToRange(value, policy.ValidRange)
	case len(policy.ValidValues) > 0:
		for _, valid := range policy.ValidValues {
			if exact(valid).Cmp(value) >= 0 {
				value = exact(valid)
				break
			}
		}
	}
	return value, allowed(value, policy)
}

// roundToRange rounds up to the minimum, or to a whole number of steps above
// it.
func roundToRange(value *big.Rat, valid *resourceapi.CapacityRequestPolicyRange) *big.Rat {
	least := new(big.Rat)
	if valid.Min != nil {
		least = exact(*valid.Min)
	}
	if value.Cmp(least) < 0 {
		return least
	}
	if valid.Step == nil {
		return value
	}
	step := exact(*valid.Step)
	steps := new(big.Rat).Quo(new(big.Rat).Sub(value, least), step)
	whole := new(big.Int).Div(steps.Num(), steps.Denom())
	if !steps.IsInt() {
		whole.Add(whole, big.NewInt(1))
	}
	return least.Add(least, new(big.Rat).Mul(step, new(big.Rat).SetInt(whole)))
}

// allowed reports whether the policy allows the value. The default is always
// allowed.
func allowed(value *big.Rat, policy *resourceapi.CapacityRequestPolicy) bool {
	if policy.Default != nil && exact(*policy.Default).Cmp(value) == 0 {
		return true
	}
	switch {
	case policy.ValidRange != nil:
		inside := policy.ValidRange.Max == nil || value.Cmp(exact(*policy.ValidRange.Max)) <= 0
		return inside && roundToRange(value, policy.ValidRange).Cmp(value) == 0
	case len(policy.ValidValues) > 0:
		for _, valid := range policy.ValidValues {
			if exact(valid).Cmp(value) == 0 {
				return true
			}
		}
		return false
	default:
		return true
	}
}

// needs returns how much of its capacities one allocation of the device
// consumes. It returns an error if this device cannot satisfy the ask at all.
func needs(ask *Ask, device *Device) (map[resourceapi.QualifiedName]*big.Rat, error) {
	requests := map[resourceapi.QualifiedName]resource.Quantity{}
	if ask.capacity != nil {
		requests = ask.capacity.Requests
	}
	for name := range requests {
		if _, found := device.Capacity[name]; !found {
			return nil, fmt.Errorf("has no capacity %s", name)
		}
	}
	needed := map[resourceapi.QualifiedName]*big.Rat{}
	for name, capacity := range device.Capacity {
		var request *resource.Quantity
		if value, found := requests[name]; found {
			request = &value
		}
		value, valid := consumed(request, capacity)
		if !valid {
			return nil, fmt.Errorf("the policy of capacity %s does not allow the request", name)
		}
		needed[name] = value
	}
	return needed, nil
}

// large reports whether the device could satisfy the ask if no claim held it.
func (r *Rules) large(ask *Ask, device *Device) bool {
	needed, err := needs(ask, device)
	if err != nil {
		return false
	}
	for name, value := range needed {
		if value.Cmp(exact(device.Capacity[name].Value)) > 0 {
			return false
		}
	}
	return true
}

// capacities verifies that the allocated and the chosen shares do not exceed
// any capacity of a device. For devices that are not shared it verifies that
// they are large enough.
func (r *Rules) capacities(choices []Choice) error {
	if !r.features.ConsumableCapacity {
		return nil
	}
	var errs []error
	used := map[*Device]map[resourceapi.QualifiedName]*big.Rat{}
	for _, choice := range choices {
		device := choice.Device
		needed, err := needs(r.Ask(choice), device)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", choice, err))
			continue
		}
		if used[device] == nil || !r.multiple(device) {
			used[device] = r.allocatedCapacity(device)
		}
		for name, value := range needed {
			used[device][name].Add(used[device][name], value)
			if used[device][name].Cmp(exact(device.Capacity[name].Value)) > 0 {
				errs = append(errs, fmt.Errorf("%s: capacity %s is exceeded", choice, name))
			}
		}
	}
	return errors.Join(errs...)
}

func (r *Rules) allocatedCapacity(device *Device) map[resourceapi.QualifiedName]*big.Rat {
	allocated := map[resourceapi.QualifiedName]*big.Rat{}
	for name := range device.Capacity {
		allocated[name] = new(big.Rat)
		if value, found := r.capacity[device.ID()][name]; found {
			allocated[name] = exact(*value)
		}
	}
	return allocated
}
