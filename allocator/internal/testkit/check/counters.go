// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/internal/rules"
)

// counters verifies that no counter is overdrawn (KEP-4815): the allocated and
// the chosen devices together never consume more of a counter than it has. A
// shared device consumes its counters once.
//
// Quirk, checked like Kubernetes: as soon as the allocated devices overdraw one
// counter of a pool, no device of the pool that consumes any counter may be
// chosen. Another quirk: admin access consumes counters like other access.
func (r *Rules) counters(choices []Choice) error {
	if !r.features.PartitionableDevices {
		return nil
	}
	var errs []error
	for _, pool := range r.pools {
		charged := r.charged(pool, choices)
		if len(charged) == 0 {
			continue
		}
		for counter, excess := range rules.Overdrawn(maps.Values(pool.counterSets), slices.Concat(r.allocatedIn(pool), charged)) {
			errs = append(errs, fmt.Errorf("pool %s/%s: counter %s of %s is overdrawn by %s",
				pool.driver, pool.name, counter.Name, counter.Set, rules.Exact(excess).FloatString(3)))
		}
	}
	return errors.Join(errs...)
}

// groups verifies compatibility groups (KEP-5963).
func (r *Rules) groups(choices []Choice) error {
	if !r.features.CompatibilityGroups {
		return nil
	}
	for _, pool := range r.pools {
		allocated, chosen := r.allocatedIn(pool), r.charged(pool, choices)
		for set := range pool.counterSets {
			if !rules.MayJoin(rules.GroupsOn(set, allocated), rules.GroupsOn(set, chosen)) {
				return fmt.Errorf("pool %s/%s, counter set %s: the devices have no compatibility group in common", pool.driver, pool.name, set)
			}
		}
	}
	return nil
}

// charged returns the chosen devices of the pool whose choice consumes
// counters. Devices that are already shared are excluded.
func (r *Rules) charged(pool *pool, choices []Choice) []*resourceapi.Device {
	var devices []*resourceapi.Device
	shared := sets.New[*Device]()
	for _, choice := range choices {
		device := choice.Device
		if device.pool != pool || len(device.ConsumesCounters) == 0 {
			continue
		}
		if r.multiple(device) {
			_, used := r.capacity[device.ID()]
			if used || r.shared.Has(device.ID()) || shared.Has(device) {
				continue
			}
			shared.Insert(device)
		}
		devices = append(devices, device.Device.Device)
	}
	return devices
}

// allocatedIn returns the devices of the pool that are allocated, exclusively
// or by shares, in the order of the slices.
func (r *Rules) allocatedIn(pool *pool) []*resourceapi.Device {
	var devices []*resourceapi.Device
	for _, slices := range [][]*resourceapi.ResourceSlice{pool.offered, pool.elsewhere} {
		for _, slice := range slices {
			for i := range slice.Spec.Devices {
				device := &slice.Spec.Devices[i]
				id := structured.MakeDeviceID(pool.driver, pool.name, device.Name)
				_, used := r.capacity[id]
				if used || r.dedicated.Has(id) || r.shared.Has(id) {
					devices = append(devices, device)
				}
			}
		}
	}
	return devices
}
