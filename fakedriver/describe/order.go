// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"cmp"
	"slices"
)

// smallestFirst returns the devices in the order in which they are published. A
// scheduler takes the first device that fits, so the first devices should leave
// most of the capacity to other claims.
//
// Devices that are parts of another device come before devices that are not.
// The size of a part is its share of each capacity of its root. Sizes are
// compared in the order in which the root lists its capacities, so the most
// important capacity should be listed first. Only capacities that all parts of
// the root list are compared. Other capacities, such as individual memory
// slices, describe the location of a part and not its size.
//
// Parts of the same size are ordered by the number of their capacities that are
// not compared, then by nesting depth, and finally by the order of the
// description.
func smallestFirst(devices []*flat) []*flat {
	sizes := make(map[*flat]size, len(devices))
	for _, device := range devices {
		if device.source == nil {
			measureParts(device, sizes)
		}
	}
	return slices.SortedStableFunc(slices.Values(devices), func(a, b *flat) int {
		return sizes[a].compare(sizes[b])
	})
}

// size is the amount of its root that a device consumes. The zero value is the
// size of a root, which comes after all parts.
type size struct {
	depth  int
	shares []float64
	others int
}

func (s size) compare(other size) int {
	if s.depth == 0 || other.depth == 0 {
		return cmp.Compare(min(other.depth, 1), min(s.depth, 1))
	}
	return cmp.Or(
		slices.Compare(s.shares, other.shares),
		cmp.Compare(s.others, other.others),
		cmp.Compare(other.depth, s.depth),
	)
}

// measureParts computes the sizes of all devices below a root.
func measureParts(root *flat, sizes map[*flat]size) {
	parts := root.tree()[1:]
	for _, part := range parts {
		s := size{others: len(part.capacities)}
		for above := part.source; above != nil; above = above.source {
			s.depth++
		}
		for _, capacity := range root.capacities {
			inAll := !slices.ContainsFunc(parts, func(other *flat) bool {
				_, lists := other.device.Capacity[capacity]
				return !lists
			})
			has, takes := root.amount(capacity), part.amount(capacity)
			if inAll && !has.IsZero() {
				s.shares = append(s.shares, takes.AsApproximateFloat64()/has.AsApproximateFloat64())
			}
		}
		sizes[part] = s
	}
}
