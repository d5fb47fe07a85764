// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"cmp"
	"iter"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
)

// Pool contains the slices of one driver with the same pool name.
type Pool struct {
	Driver, Name string
	// Slices are the slices of the newest generation, sorted by name. Only they
	// count (API ResourcePool.generation).
	Slices []*resourceapi.ResourceSlice
	// Older are the slices of earlier generations, in the order given.
	Older []*resourceapi.ResourceSlice
}

// Pools groups slices into pools, in the order in which the pools first occur.
func Pools(all []*resourceapi.ResourceSlice) []*Pool {
	type key struct{ driver, name string }
	var pools []*Pool
	byKey := map[key]*Pool{}
	for _, slice := range all {
		k := key{slice.Spec.Driver, slice.Spec.Pool.Name}
		if byKey[k] == nil {
			byKey[k] = &Pool{Driver: k.driver, Name: k.name}
			pools = append(pools, byKey[k])
		}
		byKey[k].add(slice)
	}
	for _, pool := range pools {
		slices.SortStableFunc(pool.Slices, func(a, b *resourceapi.ResourceSlice) int { return cmp.Compare(a.Name, b.Name) })
	}
	return pools
}

func (p *Pool) add(slice *resourceapi.ResourceSlice) {
	if len(p.Slices) > 0 {
		switch newest := p.Generation(); {
		case slice.Spec.Pool.Generation < newest:
			p.Older = append(p.Older, slice)
			return
		case slice.Spec.Pool.Generation > newest:
			p.Older = append(p.Older, p.Slices...)
			p.Slices = nil
		}
	}
	p.Slices = append(p.Slices, slice)
}

// Generation returns the newest generation, whose slices alone count.
func (p *Pool) Generation() int64 { return p.Slices[0].Spec.Pool.Generation }

// Devices returns the devices of the pool and the slices that they are in, in the
// order of the slices.
func (p *Pool) Devices() iter.Seq2[*resourceapi.ResourceSlice, *resourceapi.Device] {
	return func(yield func(*resourceapi.ResourceSlice, *resourceapi.Device) bool) {
		for _, slice := range p.Slices {
			for i := range slice.Spec.Devices {
				if !yield(slice, &slice.Spec.Devices[i]) {
					return
				}
			}
		}
	}
}

// Missing returns how many slices the pool lacks. In an incomplete pool, an
// unknown slice may contain what the others lack (API
// ResourcePool.resourceSliceCount). It is negative if the pool has too many
// slices.
func (p *Pool) Missing() int64 {
	return p.Slices[0].Spec.Pool.ResourceSliceCount - int64(len(p.Slices))
}
