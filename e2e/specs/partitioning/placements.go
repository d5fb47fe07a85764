// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"fmt"
)

// a100 is the content of the file that describes the placements of partitions
// on an A100.
type a100 struct {
	Profiles []struct {
		Name   string
		Slices int
		Starts []int
		Once   bool
	}
	Layouts [][]string
}

// placement is a partition profile at a place.
type placement struct {
	// name is the value of the attribute place, see [a100s].
	name string
	// from is the first memory slice. to is the one after the last.
	from, to int
	// once is set if a GPU has the resources for only one such partition.
	once bool
}

// placements returns all placements on an A100 and all of its layouts.
func placements() (all []placement, layouts [][]string) {
	var known a100
	load("a100", &known)
	for _, profile := range known.Profiles {
		for _, start := range profile.Starts {
			all = append(all, placement{fmt.Sprintf("%s@%d", profile.Name, start), start, start + profile.Slices, profile.Once})
		}
	}
	return all, known.Layouts
}

// overlaps reports whether two placements exclude each other.
func (p placement) overlaps(other placement) bool {
	return p.from < other.to && other.from < p.to || p.once && other.once
}
