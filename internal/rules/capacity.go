// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"maps"
	"math/big"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Use is what one allocation of a device consumes of one of its capacities.
type Use struct {
	Name   resourceapi.QualifiedName
	Amount *big.Rat
	// Allowed states that the policy of the capacity allows the amount.
	Allowed bool
	// Varies states that releases differ in the amount. Up to Kubernetes 1.36,
	// and without DRAFractionalCapacityRange, the minimum and the step of a
	// range are rounded up to whole numbers before a request is rounded.
	Varies bool
}

// Uses returns what one allocation of a device consumes of each of its
// capacities, sorted by name, and the requested capacities that the device does
// not have (KEP-5075; API CapacityRequirements.requests). A device without a
// requested capacity does not satisfy the request.
func Uses(requests map[resourceapi.QualifiedName]resource.Quantity, device Device, quirks Quirks) (uses []Use, missing []resourceapi.QualifiedName) {
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		if _, found := lookup(device.Capacity, device.Driver, name, quirks); !found {
			missing = append(missing, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(device.Capacity)) {
		var request *resource.Quantity
		if value, found := lookup(requests, device.Driver, name, quirks); found {
			request = &value
		}
		amount, allowed := Consumed(request, device.Capacity[name])
		uses = append(uses, Use{name, amount, allowed, request != nil && hasFractionalSteps(device.Capacity[name].RequestPolicy)})
	}
	return uses, missing
}

func lookup[T any](all map[resourceapi.QualifiedName]T, driver string, name resourceapi.QualifiedName, quirks Quirks) (T, bool) {
	if quirks.ExactCapacityNames {
		value, found := all[name]
		return value, found
	}
	return Lookup(all, driver, string(name))
}

// Consumed returns how much of a capacity one allocation consumes, and whether
// the policy of the capacity allows that. A request of nil is one without an
// amount for this capacity: it consumes the default of the policy, or else the
// entire capacity. Other amounts are rounded up to the next one that the policy
// allows (KEP-5075; API CapacityRequestPolicy).
func Consumed(request *resource.Quantity, capacity resourceapi.DeviceCapacity) (amount *big.Rat, allowed bool) {
	policy := capacity.RequestPolicy
	if policy == nil {
		policy = &resourceapi.CapacityRequestPolicy{}
	}
	switch {
	case request != nil:
		amount = rounded(Exact(*request), policy)
	case policy.Default != nil:
		amount = Exact(*policy.Default)
	default:
		amount = Exact(capacity.Value)
	}
	return amount, allows(policy, amount)
}

func rounded(amount *big.Rat, policy *resourceapi.CapacityRequestPolicy) *big.Rat {
	if policy.ValidRange != nil {
		return roundedToRange(amount, policy.ValidRange)
	}
	for _, valid := range policy.ValidValues {
		if value := Exact(valid); value.Cmp(amount) >= 0 {
			return value
		}
	}
	return amount
}

// roundedToRange returns the minimum, or the next whole number of steps above
// it.
func roundedToRange(amount *big.Rat, valid *resourceapi.CapacityRequestPolicyRange) *big.Rat {
	least := leastOf(valid)
	if amount.Cmp(least) < 0 {
		return least
	}
	if valid.Step == nil || valid.Step.Sign() <= 0 {
		return amount
	}
	step := Exact(*valid.Step)
	steps := new(big.Rat).Quo(new(big.Rat).Sub(amount, least), step)
	whole := new(big.Int).Div(steps.Num(), steps.Denom())
	if !steps.IsInt() {
		whole.Add(whole, big.NewInt(1))
	}
	return least.Add(least, step.Mul(step, new(big.Rat).SetInt(whole)))
}

func leastOf(valid *resourceapi.CapacityRequestPolicyRange) *big.Rat {
	if valid.Min == nil {
		return new(big.Rat)
	}
	return Exact(*valid.Min)
}

// allows reports whether the policy allows an amount. It always allows its
// default.
func allows(policy *resourceapi.CapacityRequestPolicy, amount *big.Rat) bool {
	equal := func(q resource.Quantity) bool { return Exact(q).Cmp(amount) == 0 }
	switch valid := policy.ValidRange; {
	case policy.Default != nil && equal(*policy.Default):
		return true
	case valid != nil:
		return (valid.Max == nil || amount.Cmp(Exact(*valid.Max)) <= 0) && amount.Cmp(leastOf(valid)) >= 0 && onStep(amount, valid)
	default:
		return len(policy.ValidValues) == 0 || slices.ContainsFunc(policy.ValidValues, equal)
	}
}

// onStep reports whether an amount is a whole number of steps above the
// minimum. A step that is not positive allows no amount: API servers before
// Kubernetes 1.37 accept such a step.
func onStep(amount *big.Rat, valid *resourceapi.CapacityRequestPolicyRange) bool {
	if valid.Step == nil {
		return true
	}
	if valid.Step.Sign() <= 0 {
		return false
	}
	above := new(big.Rat).Sub(amount, leastOf(valid))
	return above.Quo(above, Exact(*valid.Step)).IsInt()
}

// hasFractionalSteps reports whether requests are rounded with numbers that are
// not whole.
func hasFractionalSteps(policy *resourceapi.CapacityRequestPolicy) bool {
	if policy == nil || policy.ValidRange == nil || policy.ValidRange.Step == nil {
		return false
	}
	return !leastOf(policy.ValidRange).IsInt() || !Exact(*policy.ValidRange.Step).IsInt()
}

// maxExponent bounds the power of ten of a quantity, so that no object can make
// its evaluation expensive. The API documents 2^63-1 as the largest number.
const maxExponent = 100

// Exact returns the number that a quantity stands for.
func Exact(q resource.Quantity) *big.Rat {
	q = q.DeepCopy() // AsDec changes the representation.
	dec := q.AsDec()
	exponent := max(min(-int64(dec.Scale()), maxExponent), -maxExponent)
	power := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(max(exponent, -exponent)), nil))
	value := new(big.Rat).SetInt(dec.UnscaledBig())
	if exponent < 0 {
		return value.Quo(value, power)
	}
	return value.Mul(value, power)
}
