package specs

import "fmt"

// a100 is what a file says of where the partitions of an A100 may be.
type a100 struct {
	Profiles []struct {
		Name   string
		Slices int
		Starts []int
		Once   bool
	}
	Layouts [][]string
}

// placement is a partition that is made at some place.
type placement struct {
	// name is what [a100s] calls it.
	name string
	// from is its first memory slice, to the one after its last.
	from, to int
	// once: a GPU has what it needs for one of these.
	once bool
}

// placements are all of an A100, and the layouts that it can have.
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
