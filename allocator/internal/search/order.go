// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"slices"

	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/pools"
)

// The order of an alternative is a list of places that are tried in sequence for its devices. Usually a place is a
// position. If devices that are locked to the requested values are preferred, the places that start at 0 are for the
// preferred devices, and the places after the last position are for all others. Both are in the order of positions.
//
// All properties of positions that prunings use also hold for places. The preferred devices are known before any
// choice. Twins are either both preferred or both not (see lockSignature), so the order of two twins is the same for
// each alternative.

// candidate returns the first place at or after from whose device is free and suits the alternative, or -1 if there
// is none.
func (s *searcher) candidate(a *alternative, from int) (int, error) {
	if !s.packing {
		return s.scan(a, from, false)
	}
	size := s.positions()
	if from < size {
		if place, err := s.scan(a, from, true); place >= 0 || err != nil {
			return place, err
		}
		from = size
	}
	position, err := s.scan(a, from-size, false)
	if position < 0 || err != nil {
		return position, err
	}
	return size + position, nil
}

// position returns the position of a place.
func (s *searcher) position(place int) int {
	if s.packing && place >= s.positions() {
		return place - s.positions()
	}
	return place
}

func (s *searcher) positions() int { return len(s.Node.Words) * bits.WordSize }

// packs returns whether devices of a node can be preferred. They cannot if no slice declares sharing affinity.
func (f *Affinity) packs(node *pools.Node) bool {
	if f == nil || !f.pack {
		return false
	}
	return slices.ContainsFunc(node.Words, func(word pools.Word) bool { return f.of(word.Slice) != nil })
}

// firstWord returns the first word with a place at or after from.
func (s *searcher) firstWord(from int) int {
	if s.packing && from < s.positions() {
		return 0
	}
	return s.position(from) / bits.WordSize
}

// behind returns the devices of word w whose place is at or after from.
func (s *searcher) behind(v *verdict, w, from int) uint64 {
	position := s.position(from)
	ahead := bits.Low(position - w*bits.WordSize)
	switch {
	case !s.packing:
		return ^ahead
	case from < s.positions():
		return ^(v.preferred & ahead)
	default:
		return ^(v.preferred | ahead)
	}
}
