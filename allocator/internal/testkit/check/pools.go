// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"cmp"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/rules"
)

// pool is the part of a resource pool that is visible on a node.
type pool struct {
	driver, name string
	// incomplete and invalid pools offer no devices (KEP-4815, KEP-4381).
	incomplete bool
	invalid    error
	// offered are the slices whose devices are available on the node, in the
	// order of their names. elsewhere are the other slices with devices of the
	// pool, which may consume from the same counters.
	offered, elsewhere []*resourceapi.ResourceSlice
	counterSets        map[string]resourceapi.CounterSet
}

// gatherPools returns the pools that are visible on a node, in the documented
// order in which they are tried: by driver and name, with pools that contain
// devices with binding conditions last.
func (r *Rules) gatherPools() ([]*pool, error) {
	visible := map[[2]string][]*resourceapi.ResourceSlice{}
	for _, slice := range r.problem.Slices {
		seen, err := r.sees(slice)
		if err != nil {
			return nil, err
		}
		if seen {
			key := [2]string{slice.Spec.Driver, slice.Spec.Pool.Name}
			visible[key] = append(visible[key], slice)
		}
	}
	var pools []*pool
	for key, seen := range visible {
		if p := r.gatherPool(key[0], key[1], seen); p != nil {
			pools = append(pools, p)
		}
	}
	slices.SortFunc(pools, func(a, b *pool) int {
		return cmp.Or(compareBool(a.conditional(), b.conditional()), cmp.Compare(a.driver, b.driver), cmp.Compare(a.name, b.name))
	})
	return pools, nil
}

// gatherPool uses the newest generation. It returns nil if a newer one exists
// of which no slice is visible on the node.
//
// Quirk, checked like Kubernetes: if as many slices are visible on the node as
// the pool has, newer generations elsewhere are not noticed. Another quirk:
// where slices differ in resourceSliceCount, the first slice decides. Slices
// with a node name come before the others.
func (r *Rules) gatherPool(driver, name string, seen []*resourceapi.ResourceSlice) *pool {
	generation := int64(0)
	for _, slice := range seen {
		generation = max(generation, slice.Spec.Pool.Generation)
	}
	seen = slices.DeleteFunc(seen, func(s *resourceapi.ResourceSlice) bool { return s.Spec.Pool.Generation != generation })
	slices.SortStableFunc(seen, func(a, b *resourceapi.ResourceSlice) int {
		return compareBool(ptr.Deref(a.Spec.NodeName, "") == "", ptr.Deref(b.Spec.NodeName, "") == "")
	})
	p := &pool{driver: driver, name: name, counterSets: map[string]resourceapi.CounterSet{}}
	all := seen
	if count := seen[0].Spec.Pool.ResourceSliceCount; int64(len(seen)) != count {
		all = nil
		for _, slice := range r.problem.Slices {
			if slice.Spec.Driver != driver || slice.Spec.Pool.Name != name || slice.Spec.Pool.Generation < generation {
				continue
			}
			if slice.Spec.Pool.Generation > generation {
				return nil
			}
			if r.features.CompatibilityGroups || !usesGroups(slice) {
				all = append(all, slice)
			}
		}
		p.incomplete = int64(len(all)) != count
	}
	if !p.incomplete {
		p.split(seen, all, r.features.PartitionableDevices)
		p.invalid = p.validate(r.features.PartitionableDevices)
	}
	return p
}

// split separates the slices with counters, which offer no devices, from those
// with devices.
func (p *pool) split(seen, all []*resourceapi.ResourceSlice, partitionable bool) {
	for _, slice := range all {
		switch {
		case partitionable && len(slice.Spec.SharedCounters) > 0:
			for _, set := range slice.Spec.SharedCounters {
				if _, found := p.counterSets[set.Name]; found {
					p.invalid = fmt.Errorf("counter set %s is defined twice", set.Name)
				}
				p.counterSets[set.Name] = set
			}
		case slices.Contains(seen, slice):
			p.offered = append(p.offered, slice)
		default:
			p.elsewhere = append(p.elsewhere, slice)
		}
	}
	slices.SortFunc(p.offered, func(a, b *resourceapi.ResourceSlice) int { return cmp.Compare(a.Name, b.Name) })
}

// validate checks what the API server cannot check because it validates each
// slice separately (KEP-4815, validation of pools).
func (p *pool) validate(partitionable bool) error {
	if p.invalid != nil {
		return p.invalid
	}
	names := map[string]bool{}
	for _, slice := range p.offered {
		for _, device := range slice.Spec.Devices {
			if names[device.Name] {
				return fmt.Errorf("device %s is defined twice", device.Name)
			}
			names[device.Name] = true
		}
	}
	if !partitionable {
		return nil
	}
	for _, slice := range slices.Concat(p.offered, p.elsewhere) {
		for _, device := range slice.Spec.Devices {
			for _, consumption := range device.ConsumesCounters {
				set, found := p.counterSets[consumption.CounterSet]
				if !found {
					return fmt.Errorf("counter set %s is not defined", consumption.CounterSet)
				}
				for counter := range consumption.Counters {
					if _, found := set.Counters[counter]; !found {
						return fmt.Errorf("counter %s is not in counter set %s", counter, set.Name)
					}
				}
			}
		}
	}
	return nil
}

// conditional reports whether the pool is tried last, because it contains
// devices with binding conditions.
func (p *pool) conditional() bool {
	for _, slice := range p.offered {
		for _, device := range slice.Spec.Devices {
			if p.invalid == nil && device.BindingConditions != nil {
				return true
			}
		}
	}
	return false
}

// sees reports whether the slice is visible on the node: because of its own
// node selection, or because of that of one of its devices.
func (r *Rules) sees(slice *resourceapi.ResourceSlice) (bool, error) {
	spec := slice.Spec
	if !r.features.PartitionableDevices && (spec.PerDeviceNodeSelection != nil || len(spec.SharedCounters) > 0) {
		return false, nil
	}
	if !r.features.CompatibilityGroups && usesGroups(slice) {
		return false, nil
	}
	if !ptr.Deref(spec.PerDeviceNodeSelection, false) {
		return rules.NodesOf(&spec, nil).Include(r.node)
	}
	for i := range spec.Devices {
		seen, err := rules.NodesOf(&spec, &spec.Devices[i]).Include(r.node)
		if seen || err != nil {
			return seen, err
		}
	}
	return false, nil
}

func usesGroups(slice *resourceapi.ResourceSlice) bool {
	for _, device := range slice.Spec.Devices {
		for _, consumption := range device.ConsumesCounters {
			if len(consumption.CompatibilityGroups) > 0 {
				return true
			}
		}
	}
	return false
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}
