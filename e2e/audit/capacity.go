// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/internal/rules"
)

// checkCapacities returns the capacities that the shares of devices
// overdraw.
func (inv *Inventory) checkCapacities(held holders) []finding {
	var found []finding
	for _, id := range held.devices() {
		device := inv.devices[id]
		for _, name := range slices.Sorted(maps.Keys(device.Capacity)) {
			d := consumption{}
			for _, h := range held[id] {
				consumed, ok := rules.Lookup(h.result.ConsumedCapacity, id.Driver, string(name))
				if claim := nameOf(h.claim); ok && !consumed.IsZero() {
					d.add(consumed, claim, []string{claim})
				}
			}
			if value := device.Capacity[name].Value; d.sum.Cmp(value) > 0 {
				found = append(found, finding{
					rule: CapacitySuffices, about: id.String() + " " + string(name), causes: d.causes, dependsOn: poolOfDevice(id),
					text: fmt.Sprintf("capacity %s of device %s is overdrawn: %s of %s are consumed (%s)",
						name, id, d.sum.String(), value.String(), strings.Join(d.by, "; ")),
				})
			}
		}
	}
	return found
}

// checkConsumedCapacities returns what is wrong with the capacities of a claim's
// devices: requested capacities that a device lacks, and shares whose consumed
// capacity differs from what the device's policy derives from the request.
func (inv *Inventory) checkConsumedCapacities(claim *resourceapi.ResourceClaim) []finding {
	requests := requestsOf(claim)
	var found []finding
	for _, r := range results(claim) {
		id := idOf(r)
		device, ok := inv.devices[id]
		request, asks := requests[r.Request]
		if !ok || !asks || request.AdminAccess {
			continue
		}
		for _, problem := range checkConsumption(request, r, device) {
			found = append(found, finding{
				rule: CapacityConsumed, about: r.Request + " " + problem, dependsOn: poolOfDevice(id),
				text: fmt.Sprintf("request %s has device %s, %s", r.Request, id, problem),
			})
		}
	}
	return found
}

// checkConsumption compares a share with the capacity policies of its device. A
// device that is not shared must have the requested capacity. Consumed capacity
// is not recorded then.
func checkConsumption(request rules.Alternative, r resourceapi.DeviceRequestAllocationResult, device offer) []string {
	var problems []string
	uses, missing := rules.Uses(request.Capacity, device.of(r.Driver), rules.Quirks{})
	for _, name := range missing {
		problems = append(problems, fmt.Sprintf("which has no capacity %s", name))
	}
	if r.ShareID != nil && !device.shared() {
		problems = append(problems, "which is not shared, as a share")
	}
	for _, use := range uses {
		if use.Varies {
			continue
		}
		value := device.Capacity[use.Name].Value
		got, recorded := rules.Lookup(r.ConsumedCapacity, r.Driver, string(use.Name))
		switch {
		case !use.Allowed:
			problems = append(problems, fmt.Sprintf("whose policy for capacity %s does not allow the requested amount", use.Name))
		case use.Amount.Cmp(rules.Exact(value)) > 0:
			problems = append(problems, fmt.Sprintf("whose capacity %s is %s, less than the requested amount", use.Name, value.String()))
		case device.shared() && !recorded:
			problems = append(problems, fmt.Sprintf("whose capacity %s is consumed by %s, but nothing is recorded", use.Name, decimal(use.Amount)))
		case device.shared() && rules.Exact(got).Cmp(use.Amount) > 0 && mayRound(request, r.Driver, use.Name, device.Capacity[use.Name].RequestPolicy): // It may be right.
		case device.shared() && rules.Exact(got).Cmp(use.Amount) != 0:
			problems = append(problems, fmt.Sprintf("of whose capacity %s it consumes %s, not %s", use.Name, got.String(), decimal(use.Amount)))
		}
	}
	return problems
}

// decimal formats a number like a quantity.
func decimal(number *big.Rat) string {
	if number.IsInt() {
		return number.Num().String()
	}
	return strings.TrimRight(number.FloatString(9), "0")
}
