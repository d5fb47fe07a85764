// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pools

import "slices"

// Sums are the sums of counters by which devices are compared. In each counter set, these are every single counter
// and the counters with the same total. Over the whole pool, these are the counters with the same name and the
// counters with the same total. A sum is a list of the indexes of its counters in Core.Counters. No two sums of a
// set, or of the pool, have the same counters.
type Sums struct {
	Sets [][][]int // Per counter set.
	Pool [][]int
	// InSet and InPool contain, for each counter, the sums to which it belongs: of its set, and of the pool.
	InSet, InPool [][]int
}

// Sums returns the sums of the counters of the pool. They depend on nothing else.
func (c *Core) Sums() *Sums {
	c.sumsOnce.Do(func() { c.sums = newSums(c) })
	return &c.sums
}

func newSums(c *Core) Sums {
	sums := Sums{Sets: make([][][]int, c.Sets), InSet: make([][]int, len(c.Counters)), InPool: make([][]int, len(c.Counters))}
	bySet := make([][]int, c.Sets)
	all := make([]int, len(c.Counters))
	for i := range c.Counters {
		all[i] = i
		bySet[c.Counters[i].Set] = append(bySet[c.Counters[i].Set], i)
	}
	for set, counters := range bySet {
		sums.Sets[set] = c.sumsOf(counters, sums.InSet)
	}
	sums.Pool = c.sumsOf(all, sums.InPool)
	return sums
}

// sumsOf returns the sums of some counters. For each counter it appends to in the indexes of its sums.
func (c *Core) sumsOf(counters []int, in [][]int) [][]int {
	byName := c.grouped(counters, func(i int) string { return c.Counters[i].Name })
	bySize := c.grouped(counters, func(i int) string { return string(c.Counters[i].Total.AppendKey(nil)) })
	sums := byName
	for _, sum := range bySize {
		if !contains(byName, sum) {
			sums = append(sums, sum)
		}
	}
	for i, sum := range sums {
		for _, counter := range sum {
			in[counter] = append(in[counter], i)
		}
	}
	return sums
}

// grouped returns the counters grouped by key, in the order of the first counter of each group.
func (c *Core) grouped(counters []int, key func(int) string) [][]int {
	var groups [][]int
	known := map[string]int{}
	for _, counter := range counters {
		k := key(counter)
		i, ok := known[k]
		if !ok {
			i = len(groups)
			known[k] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], counter)
	}
	return groups
}

func contains(groups [][]int, group []int) bool {
	return slices.ContainsFunc(groups, func(other []int) bool { return slices.Equal(group, other) })
}
