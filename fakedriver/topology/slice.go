// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"cmp"
	"slices"
)

// slice is a block of connected chips that can be allocated together. It is a
// "TPU slice", not a ResourceSlice.
type slice struct {
	shape  extent
	origin []int
	// chips and hosts are numbers in ascending order.
	chips []int
	hosts []int
}

// device returns the name of the slice's device.
func (s slice) device() string { return "tpu-" + s.shape.String() + "-" + join(s.origin, "-") }

// allSlices returns the slices of a description, smallest first. This order
// keeps large slices free when a scheduler takes the first device that fits.
func (d *description) allSlices() []slice {
	var out []slice
	for _, s := range d.Slices {
		origins := s.Origins
		if origins == nil {
			origins = d.multiples(s.Shape, s.Step)
		}
		for _, origin := range origins {
			out = append(out, d.slice(s.Shape, origin.at))
		}
	}
	slices.SortStableFunc(out, func(a, b slice) int {
		return cmp.Compare(len(a.chips), len(b.chips))
	})
	return out
}

// multiples returns the positions at which the shape fits and which are
// multiples of a step. The default step is the shape itself.
func (d *description) multiples(shape, step extent) []position {
	if step.size == nil {
		step = shape
	}
	var out []position
	for chip := range d.Grid.volume() {
		at := d.Grid.at(chip)
		if d.Grid.contains(at, shape) && multiple(at, step) {
			out = append(out, position{at: at})
		}
	}
	return out
}

func multiple(at []int, of extent) bool {
	for d, step := range of.size {
		if at[d]%step != 0 {
			return false
		}
	}
	return true
}

func (d *description) slice(shape extent, origin []int) slice {
	s := slice{shape: shape, origin: origin}
	for i := range shape.volume() {
		chip := shape.at(i)
		for dimension := range chip {
			chip[dimension] += origin[dimension]
		}
		s.chips = append(s.chips, d.Grid.index(chip))
		s.hosts = append(s.hosts, owner(d.Grid, d.Hosts.Chips, chip))
	}
	slices.Sort(s.hosts)
	s.hosts = slices.Compact(s.hosts)
	return s
}
