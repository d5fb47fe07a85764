package search

import (
	"slices"

	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/pools"
)

// The order of an alternative is a list of places, one after the other tried for its devices. Usually a place
// is a position. If devices locked to the right values come first, the places from 0 on are for these, and
// those behind the last position for all others, both in the order of positions.
//
// All that prunings know about positions holds for places, too: which devices are preferred is known before any
// choice, and twins are either both preferred or both not (see lockSignature), so that one that stands before the
// other does so in the order of each alternative.

// candidate returns the first place from the given one on whose device is free and suits the alternative; -1 if
// there is none.
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

// packs tells whether some devices of a node may come before others: not if none of them demands anything.
func (f *Affinity) packs(node *pools.Node) bool {
	if f == nil || !f.pack {
		return false
	}
	return slices.ContainsFunc(node.Words, func(word pools.Word) bool { return f.of(word.Slice) != nil })
}

// firstWord returns the first word with a place from the given one on.
func (s *searcher) firstWord(from int) int {
	if s.packing && from < s.positions() {
		return 0
	}
	return s.position(from) / bits.WordSize
}

// behind returns the devices of word w whose place is not before the given one.
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
