// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package discover

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/subject/published"
	"github.com/draconform/draconform/internal/rules"
)

// shared describes the devices that allow multiple allocations.
func (d *discovery) shared() role {
	devices := filter(d.driver.Devices, func(d *published.Device) bool { return d.Shared() && !d.MultiHost() })
	if len(devices) == 0 {
		return role{why: "no device has allowMultipleAllocations"}
	}
	q, ok := d.requests.find(ofOneType(d.driver, devices))
	if !ok {
		return role{why: "no selector tells the shared devices from others: add an attribute to them"}
	}
	requested, fit := shareOf(q.selected)
	if fit == 1 {
		return role{why: fmt.Sprintf("%d devices have allowMultipleAllocations, but no request was found of which two fit on each of them", len(devices))}
	}
	for name, amount := range requested {
		if q.Capacity == nil {
			q.Capacity = map[string]resource.Quantity{}
		}
		q.Capacity[string(name)] = amount
	}
	r := role{why: fmt.Sprintf("%s with allowMultipleAllocations on %s. %s", plural(len(q.selected), "device"), nodes(q.selected), sentence(q.why))}
	r.fields = []field{{shareWhy(requested, fit), "share", q.Device}, d.identity(q.selected), {
		why: "apart: two configurations of claims that must not share a device are not visible in a cluster. If the driver has such, see docs/drivers.md.",
	}}
	return r
}

func shareWhy(requested map[resourceapi.QualifiedName]resource.Quantity, fit int) string {
	switch {
	case fit == 0:
		return "Shares consume no capacity."
	case len(requested) == 0:
		return fmt.Sprintf("By the defaults of the request policies, %d shares fit on a device.", fit)
	}
	return fmt.Sprintf("With this capacity, %d shares fit on a device. Without, a share would take too much of it.", fit)
}

// identity finds the string attribute that is unique among the devices.
func (d *discovery) identity(devices []*published.Device) field {
	names := d.driver.StringAttributes(devices)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(parentRank(a), parentRank(b)) })
	var similar []string
	for _, name := range names {
		first, second := published.Duplicate(devices, name)
		if first == nil {
			return field{fmt.Sprintf("The value of the attribute is unique among the %d devices.", len(devices)), "identity", name}
		}
		similar = append(similar, fmt.Sprintf("%s of %s and %s is equal", name, first.ID(), second.ID()))
	}
	if len(similar) == 0 {
		return field{why: "identity: the devices have no string attribute. A driver can publish a unique one."}
	}
	return field{why: fmt.Sprintf("identity: no string attribute is unique: %s.", strings.Join(similar, ", "))}
}

// shareOf returns the capacities that a share has to request so that several
// shares fit on each device, and how many fit. Zero means that there is no
// limit, and one that no such request was found.
func shareOf(devices []*published.Device) (map[resourceapi.QualifiedName]resource.Quantity, int) {
	requested := map[resourceapi.QualifiedName]resource.Quantity{}
	if fit := sharesThatFit(devices, requested); fit != 1 {
		return nil, fit
	}
	for _, d := range devices {
		for _, name := range slices.Sorted(maps.Keys(d.Capacity)) {
			amount, _ := rules.Consumed(nil, d.Capacity[name])
			least := leastRequest(d.Capacity[name])
			if current, found := requested[name]; times(d.Capacity[name], amount) < 2 && (!found || least.Cmp(current) < 0) {
				requested[name] = least
			}
		}
	}
	return requested, sharesThatFit(devices, requested)
}

// leastRequest returns a small amount that the policy of a capacity allows, or
// a quarter of the capacity.
func leastRequest(c resourceapi.DeviceCapacity) resource.Quantity {
	if p := c.RequestPolicy; p != nil {
		switch {
		case len(p.ValidValues) > 0:
			return p.ValidValues[0]
		case p.ValidRange != nil && p.ValidRange.Min != nil && p.ValidRange.Min.Sign() > 0:
			return *p.ValidRange.Min
		case p.ValidRange != nil && p.ValidRange.Step != nil:
			return *p.ValidRange.Step
		}
	}
	switch whole := c.Value.Value(); {
	case whole >= 4:
		return *resource.NewQuantity(whole/4, c.Value.Format)
	case whole >= 2:
		return *resource.NewQuantity(1, c.Value.Format)
	}
	return *resource.NewMilliQuantity(c.Value.MilliValue()/4, c.Value.Format)
}

// sharesThatFit returns how many shares fit on the device with the least room,
// and zero if shares consume nothing. A share that a device does not allow
// counts as one.
func sharesThatFit(devices []*published.Device, requested map[resourceapi.QualifiedName]resource.Quantity) int {
	fit := 0
	for _, d := range devices {
		uses, missing := rules.Uses(requested, d.Device, rules.Quirks{ExactCapacityNames: true})
		if len(missing) > 0 {
			return 1
		}
		for _, use := range uses {
			if !use.Allowed {
				return 1
			}
			if use.Amount.Sign() == 0 {
				continue
			}
			if n := max(times(d.Capacity[use.Name], use.Amount), 1); fit == 0 || n < fit {
				fit = n
			}
		}
	}
	return fit
}

// times returns how many times an amount fits into a capacity. An amount of
// zero always fits.
func times(c resourceapi.DeviceCapacity, amount *big.Rat) int {
	if amount.Sign() == 0 {
		return maxShares
	}
	n := new(big.Rat).Quo(rules.Exact(c.Value), amount)
	whole := new(big.Int).Quo(n.Num(), n.Denom())
	if !whole.IsInt64() || whole.Int64() > maxShares {
		return maxShares
	}
	return int(whole.Int64())
}

// maxShares bounds numbers of shares.
const maxShares = 1 << 20
