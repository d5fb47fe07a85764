// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package published

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"
)

// maxSteps bounds the search for combinations of devices on one parent. The
// partitions of a GPU take less than a thousand.
const maxSteps = 20_000

// placements visits the ways to choose one device of each list that fit on the
// parent together. A device is chosen once. Equal lists are next to each other,
// and their devices are not chosen in another order again. It returns false if
// visit did, or if the search was too long.
func (p *Parent) placements(lists [][]*Device, visit func([]*Device) bool) bool {
	steps := 0
	var choose func(chosen []*Device, from int) bool
	choose = func(chosen []*Device, from int) bool {
		if steps++; steps > maxSteps {
			return false
		}
		n := len(chosen)
		if n == len(lists) {
			return visit(chosen)
		}
		if n == 0 || !slices.Equal(lists[n], lists[n-1]) {
			from = 0
		}
		for i := from; i < len(lists[n]); i++ {
			next := append(chosen[:n:n], lists[n][i])
			if !slices.Contains(chosen, lists[n][i]) && p.Fit(next) && !choose(next, i+1) {
				return false
			}
		}
		return true
	}
	return choose(nil, 0)
}

// Fits reports whether there is a choice of one device of each list.
func (p *Parent) Fits(lists ...[]*Device) bool {
	found := false
	p.placements(lists, func([]*Device) bool { found = true; return false })
	return found
}

// Fills reports whether there is a choice of one device of each list, and each
// of these choices leaves no room for another device.
func (p *Parent) Fills(lists [][]*Device, another []*Device) bool {
	found := false
	all := p.placements(lists, func(chosen []*Device) bool {
		found = true
		return !slices.ContainsFunc(another, func(d *Device) bool {
			return !slices.Contains(chosen, d) && p.Fit(append(slices.Clone(chosen), d))
		})
	})
	return found && all
}

// Most returns how many of the devices fit on the parent together.
func (p *Parent) Most(devices []*Device) int {
	n := 0
	for n < len(devices) && p.Fits(slices.Repeat([][]*Device{devices}, n+1)...) {
		n++
	}
	return n
}

// Of returns those of the devices that belong to the parent.
func (p *Parent) Of(devices sets.Set[*Device]) []*Device {
	return slices.DeleteFunc(slices.Clone(p.Devices), func(d *Device) bool { return !devices.Has(d) })
}
