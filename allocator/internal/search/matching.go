// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import "github.com/draconform/draconform/allocator/internal/bits"

// The matching bound (P2): every device that is still needed must be assigned separately.
//
// Proof: A solution assigns devices to requests. A device that is not shared is assigned to at most one request. A
// shared device is assigned to a request at most once. This is an assignment of requests to devices in which no
// device exceeds its limit of requests. If the largest such assignment, found with augmenting paths, assigns a
// request less than it needs, there is no solution (Hall). Requests with admin access are ignored, because they may
// use devices that are in use.

// matching returns whether all demands can be satisfied at the same time.
func (p *pruner) matching() bool {
	f := &p.flow
	f.reset(len(p.s.Node.Words))
	for i := range p.demands {
		if d := &p.demands[i]; !d.admin && d.need > 0 {
			f.add(d.free, d.need)
		}
	}
	f.capacity = p.capacity
	ok := f.saturate()
	p.s.steps += f.work / 16
	return ok
}

func (p *pruner) matchingCapacity(w int, bit uint64) int {
	if p.s.word(w).shared&bit == 0 {
		return 1
	}
	return p.shares(w, bit)
}

// flow assigns resources to demands. Each demand uses a resource at most once. Each resource serves a limited number
// of demands.
type flow struct {
	words    int
	capacity func(w int, bit uint64) int // Of a resource, at least 1 if a demand can use it.
	demands  []flowDemand
	load     map[int]int // Per resource: the number of served demands, for resources that can serve several.
	full     []uint64    // Resources that serve their maximum number of demands.
	visited  []uint64
	work     int
}

type flowDemand struct {
	usable []uint64
	need   int
	used   []uint64
}

func (f *flow) reset(words int) {
	f.words, f.work = words, 0
	f.demands = f.demands[:0]
	f.full = cleared(f.full, words)
	f.visited = cleared(f.visited, words)
	clear(f.load)
}

func (f *flow) add(usable []uint64, need int) {
	k := len(f.demands)
	var used []uint64
	if k < cap(f.demands) {
		used = f.demands[:k+1][k].used
	}
	f.demands = append(f.demands, flowDemand{usable, need, cleared(used, f.words)})
}

// saturate returns whether all demands can be served.
func (f *flow) saturate() bool {
	for i := range f.demands {
		for range f.demands[i].need {
			clear(f.visited)
			if !f.augment(i) {
				return false
			}
		}
	}
	return true
}

// augment finds one more resource for a demand. If necessary it moves other demands to different resources.
func (f *flow) augment(i int) bool {
	d := &f.demands[i]
	f.work += 1 + f.words/8
	for w := range f.words {
		for rest := d.usable[w] &^ d.used[w] &^ f.full[w]; rest != 0; rest &= rest - 1 {
			if bit := rest & -rest; f.occupy(w, bit) {
				d.used[w] |= bit
				return true
			}
		}
	}
	for w := range f.words {
		for {
			rest := d.usable[w] &^ d.used[w] &^ f.visited[w]
			if rest == 0 {
				break
			}
			bit := rest & -rest
			f.visited[w] |= bit
			if f.evict(i, w, bit) {
				d.used[w] |= bit
				return true
			}
		}
	}
	return false
}

// occupy uses one unit of the capacity of a resource if one is available.
func (f *flow) occupy(w int, bit uint64) bool {
	limit := f.capacity(w, bit)
	if limit == 1 {
		f.full[w] |= bit
		return true
	}
	if f.load == nil {
		f.load = map[int]int{}
	}
	r := w*bits.WordSize + bits.First(bit)
	if f.load[r] >= limit {
		f.full[w] |= bit
		return false
	}
	f.load[r]++
	return true
}

// evict moves one of the demands that use a resource to another resource.
func (f *flow) evict(except, w int, bit uint64) bool {
	for j := range f.demands {
		if j == except || f.demands[j].used[w]&bit == 0 {
			continue
		}
		if f.augment(j) {
			f.demands[j].used[w] &^= bit
			return true
		}
	}
	return false
}
