// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

func poolIncomplete(p *pass) {
	for _, pool := range p.pools {
		first := pool.Slices[0]
		at := place{first, spec.Child("pool", "resourceSliceCount")}
		for _, slice := range pool.Slices[1:] {
			if n := slice.Spec.Pool.ResourceSliceCount; n != first.Spec.Pool.ResourceSliceCount {
				p.report(place{slice, at.path}, "is %d, and %d in ResourceSlice %s of the same generation", n, first.Spec.Pool.ResourceSliceCount, first.Name)
			}
		}
		if pool.Missing() != 0 {
			p.report(at, "is %d, but pool %s has %d slices of generation %d here", first.Spec.Pool.ResourceSliceCount, pool.Name, len(pool.Slices), pool.Generation())
		}
	}
}

func poolGenerations(p *pass) {
	for _, pool := range p.pools {
		for _, slice := range pool.Older {
			p.report(place{slice, spec.Child("pool", "generation")}, "is %d, older than generation %d of pool %s: the slice is obsolete",
				slice.Spec.Pool.Generation, pool.Generation(), pool.Name)
		}
	}
}

func poolDuplicateDevice(p *pass) {
	p.sameDevice(true, "device %q is also in ResourceSlice %s: the pool is invalid")
}

func poolAmbiguousDevice(p *pass) {
	p.sameDevice(false, "device %q is also in ResourceSlice %s: allocating one takes both, and claims cannot tell them apart")
}

// sameDevice reports devices whose name also occurs in another slice of the pool. With together it reports them for
// slices that are certain to be visible on a common node, otherwise for the remaining pairs of slices.
func (p *pass) sameDevice(together bool, format string) {
	for _, pool := range p.pools {
		first := map[string]*resourceapi.ResourceSlice{}
		for at, device := range devicesOf(pool.Slices) {
			slice := at.object.(*resourceapi.ResourceSlice)
			before, ok := first[device.Name]
			if !ok {
				first[device.Name] = slice
				continue
			}
			if before != slice && seenTogether(before, slice) == together {
				p.report(at.child("name"), format, device.Name, before.Name)
			}
		}
	}
}

// seenTogether reports whether there is certainly a node on which both slices are visible.
func seenTogether(a, b *resourceapi.ResourceSlice) bool {
	switch {
	case ptr.Deref(a.Spec.PerDeviceNodeSelection, false) || ptr.Deref(b.Spec.PerDeviceNodeSelection, false):
		return false
	case ptr.Deref(a.Spec.AllNodes, false) || ptr.Deref(b.Spec.AllNodes, false):
		return true
	default:
		return a.Spec.NodeName != nil && b.Spec.NodeName != nil && *a.Spec.NodeName == *b.Spec.NodeName
	}
}

func poolDuplicateCounterSet(p *pass) {
	for _, pool := range p.pools {
		first := map[string]place{}
		for at, set := range counterSetsOf(pool.Slices) {
			before, ok := first[set.Name]
			if !ok {
				first[set.Name] = at
				continue
			}
			if before.object != at.object {
				p.report(at.child("name"), "counter set %q is also in ResourceSlice %s: the pool is invalid", set.Name, before.object.GetName())
			}
		}
	}
}

func poolUnknownCounterSet(p *pass) {
	for at, c := range p.consumed() {
		if c.set == nil {
			p.report(at.child("counterSet"), "counter set %q is not in pool %s", c.CounterSet, c.pool.Name)
		}
	}
}

func poolUnknownCounter(p *pass) {
	for at, c := range p.consumed() {
		if c.set == nil {
			continue
		}
		for _, name := range sorted(c.Counters) {
			if _, ok := c.set.Counters[name]; !ok {
				p.report(at.child("counters").key(name), "counter %q is not in counter set %q of pool %s", name, c.CounterSet, c.pool.Name)
			}
		}
	}
}
