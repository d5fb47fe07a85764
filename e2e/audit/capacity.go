package audit

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// overdrawnCapacities returns the capacities that the shares of devices
// overdraw.
func (inv *Inventory) overdrawnCapacities(held holders) []finding {
	var found []finding
	for _, id := range held.devices() {
		device := inv.devices[id]
		for _, name := range slices.Sorted(maps.Keys(device.Capacity)) {
			d := draw{}
			for _, h := range held[id] {
				consumed, ok := qualified(h.result.ConsumedCapacity, id.Driver, string(name))
				if ok && !consumed.IsZero() {
					d.sum.Add(consumed)
					d.by = append(d.by, fmt.Sprintf("%s by %s", consumed.String(), nameOf(h.claim)))
					d.blamed = append(d.blamed, []string{nameOf(h.claim)})
				}
			}
			if value := device.Capacity[name].Value; d.sum.Cmp(value) > 0 {
				found = append(found, finding{
					rule: CapacitySuffices, about: id.String() + " " + string(name), blamed: d.blamed, judgedBy: poolOfDevice(id),
					text: fmt.Sprintf("capacity %s of device %s is overdrawn: %s of %s are consumed (%s)",
						name, id, d.sum.String(), value.String(), strings.Join(d.by, "; ")),
				})
			}
		}
	}
	return found
}

// misjudgedCapacities returns what is wrong with the capacities of a claim's
// devices: requested capacities that a device lacks, and shares whose consumed
// capacity differs from what the device's policy derives from the request.
func (inv *Inventory) misjudgedCapacities(claim *resourceapi.ResourceClaim) []finding {
	requests := askedOf(claim)
	var found []finding
	for _, r := range results(claim) {
		id := idOf(r)
		device, ok := inv.devices[id]
		request, asks := requests[r.Request]
		if !ok || !asks || request.admin {
			continue
		}
		for _, problem := range append(lacking(request, id, device), misconsumed(request, r, device)...) {
			found = append(found, finding{
				rule: CapacityConsumed, about: r.Request + " " + problem, judgedBy: poolOfDevice(id),
				text: fmt.Sprintf("request %s has device %s, %s", r.Request, id, problem),
			})
		}
	}
	return found
}

// lacking returns the requested capacities that a device does not have.
func lacking(request asked, id DeviceID, device offer) []string {
	if request.capacity == nil {
		return nil
	}
	var problems []string
	for _, name := range slices.Sorted(maps.Keys(request.capacity.Requests)) {
		if _, ok := qualified(device.Capacity, id.Driver, string(name)); !ok {
			problems = append(problems, fmt.Sprintf("which has no capacity %s", name))
		}
	}
	return problems
}

// misconsumed compares a share with the capacity policies of its device. A
// device that is not shared must have the requested capacity. Consumed capacity
// is not recorded then.
func misconsumed(request asked, r resourceapi.DeviceRequestAllocationResult, device offer) []string {
	var problems []string
	if r.ShareID != nil && !device.shared() {
		problems = append(problems, "which is not shared, as a share")
	}
	for _, name := range slices.SortedFunc(maps.Keys(device.Capacity), cmp.Compare[resourceapi.QualifiedName]) {
		capacity := device.Capacity[name]
		want, allowed := consumedOf(request.ofCapacity(r.Driver, string(name)), capacity)
		if want == nil {
			continue
		}
		got, recorded := qualified(r.ConsumedCapacity, r.Driver, string(name))
		switch {
		case !allowed:
			problems = append(problems, fmt.Sprintf("whose policy for capacity %s does not allow what is asked for", name))
		case want.Cmp(rational(capacity.Value)) > 0:
			problems = append(problems, fmt.Sprintf("whose capacity %s is %s, less than what is asked for", name, capacity.Value.String()))
		case device.shared() && !recorded:
			problems = append(problems, fmt.Sprintf("whose capacity %s is consumed by %s, but nothing is recorded", name, decimal(want)))
		case device.shared() && rational(got).Cmp(want) != 0:
			problems = append(problems, fmt.Sprintf("of whose capacity %s it consumes %s, not %s", name, got.String(), decimal(want)))
		}
	}
	return problems
}

// ofCapacity returns the requested amount of a capacity, or nil.
func (a asked) ofCapacity(driver, name string) *resource.Quantity {
	if a.capacity == nil {
		return nil
	}
	if q, ok := qualified(a.capacity.Requests, driver, name); ok {
		return &q
	}
	return nil
}

// consumedOf returns what a request consumes of a capacity, and whether the
// capacity's policy allows that (API CapacityRequestPolicy). The amount is nil
// where releases differ: fractions are rounded to whole numbers before
// Kubernetes 1.37.
func consumedOf(request *resource.Quantity, capacity resourceapi.DeviceCapacity) (_ *big.Rat, allowed bool) {
	policy := capacity.RequestPolicy
	switch {
	case request == nil && (policy == nil || policy.Default == nil):
		return rational(capacity.Value), true
	case request == nil:
		return rational(*policy.Default), true
	case policy == nil || policy.Default != nil && request.Cmp(*policy.Default) == 0:
		return rational(*request), true
	case policy.ValidRange != nil:
		return inRange(rational(*request), policy.ValidRange)
	case len(policy.ValidValues) > 0:
		for _, value := range policy.ValidValues {
			if value.Cmp(*request) >= 0 {
				return rational(value), true
			}
		}
		return rational(*request), false
	}
	return rational(*request), true
}

// inRange rounds a request up to the next step above the minimum.
func inRange(request *big.Rat, valid *resourceapi.CapacityRequestPolicyRange) (_ *big.Rat, allowed bool) {
	least := new(big.Rat)
	if valid.Min != nil {
		least = rational(*valid.Min)
	}
	if request.Cmp(least) < 0 {
		request = least
	}
	if valid.Step != nil && valid.Step.Sign() > 0 {
		step := rational(*valid.Step)
		if !request.IsInt() || !least.IsInt() || !step.IsInt() {
			return nil, false
		}
		over := new(big.Int).Sub(request.Num(), least.Num())
		over.Add(over, step.Num()).Sub(over, big.NewInt(1)).Div(over, step.Num())
		request = new(big.Rat).SetInt(over.Mul(over, step.Num()).Add(over, least.Num()))
	}
	return request, valid.Max == nil || request.Cmp(rational(*valid.Max)) <= 0
}

// rational returns a quantity as a number. It copies the quantity because AsDec
// changes its internal representation.
func rational(q resource.Quantity) *big.Rat {
	copied := q.DeepCopy()
	number, _ := new(big.Rat).SetString(copied.AsDec().String())
	return number
}

// decimal formats a number like a quantity.
func decimal(number *big.Rat) string {
	if number.IsInt() {
		return number.Num().String()
	}
	return strings.TrimRight(number.FloatString(9), "0")
}
