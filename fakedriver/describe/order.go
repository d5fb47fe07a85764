package describe

import (
	"cmp"
	"slices"
)

// smallestFirst returns the devices in the order in which they are published.
// A scheduler takes the first device that fits, so what comes first should leave
// the most to others. Parts of devices come before all devices that are no parts
// of another. A part is as large as the shares of its root that it takes,
// compared in the order in which the root lists its capacities: the one that
// counts most should be the first. Only capacities which all parts of the root
// list are compared; others, like particular memory slices, tell where a part is
// and not how large. If that makes no difference, the number of those others
// does, then how deep a device is nested, and then nothing changes the order of
// the description.
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

// size is how much a device takes of the root of its tree. The zero value is
// that of a root, which comes after all parts.
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

// measureParts finds the sizes of all devices below a root.
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
