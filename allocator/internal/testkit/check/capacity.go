// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"errors"
	"fmt"
	"math/big"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/internal/rules"
)

// needs returns how much of its capacities one allocation of the device
// consumes. It returns an error if this device cannot satisfy the subrequest at all.
func (r *Rules) needs(subrequest *Subrequest, device *Device) ([]rules.Use, error) {
	uses, missing := rules.Uses(subrequest.Capacity, device.Device, r.quirks)
	if len(missing) > 0 {
		return nil, fmt.Errorf("has no capacity %s", missing[0])
	}
	for _, use := range uses {
		if !use.Allowed {
			return nil, fmt.Errorf("the policy of capacity %s does not allow the request", use.Name)
		}
	}
	return uses, nil
}

// large reports whether the device could satisfy the subrequest if no claim held it.
func (r *Rules) large(subrequest *Subrequest, device *Device) bool {
	uses, err := r.needs(subrequest, device)
	if err != nil {
		return false
	}
	for _, use := range uses {
		if use.Amount.Cmp(rules.Exact(device.Capacity[use.Name].Value)) > 0 {
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
		uses, err := r.needs(r.Subrequest(choice), device)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", choice, err))
			continue
		}
		if used[device] == nil || !r.multiple(device) {
			used[device] = r.allocatedCapacity(device)
		}
		for _, use := range uses {
			sum := used[device][use.Name]
			if sum.Add(sum, use.Amount).Cmp(rules.Exact(device.Capacity[use.Name].Value)) > 0 {
				errs = append(errs, fmt.Errorf("%s: capacity %s is exceeded", choice, use.Name))
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
			allocated[name] = rules.Exact(*value)
		}
	}
	return allocated
}
