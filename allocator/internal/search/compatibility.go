// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import "slices"

// common is the intersection of the compatibility groups of the devices that share a counter set. Devices without
// groups are compatible with each other only.
type common struct {
	any   bool // There is at least one device.
	none  bool // The devices declare no groups.
	names []string
}

// admits returns whether a device with these groups is compatible.
func (c common) admits(names []string) bool {
	switch {
	case !c.any:
		return true
	case len(names) == 0 || c.none:
		return len(names) == 0 && c.none
	}
	return slices.ContainsFunc(c.names, func(name string) bool { return slices.Contains(names, name) })
}

// add returns the intersection after a device is added. The receiver stays valid, for backtracking.
func (c common) add(names []string) common {
	switch {
	case !c.any:
		return common{any: true, none: len(names) == 0, names: names}
	case c.none || len(names) == 0:
		return c
	}
	var both []string
	for _, name := range c.names {
		if slices.Contains(names, name) {
			both = append(both, name)
		}
	}
	return common{any: true, names: both}
}
