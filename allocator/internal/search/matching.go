package search

import "github.com/draconform/draconform/allocator/internal/bits"

// The matching bound (P2): every device that is still needed must get one of its own.
//
// Proof: a solution gives each request its devices, a device that is not shared to one request at most, a
// shared one to a request at most once. That is an assignment of requests to devices in which no device
// serves more requests than it can. If the largest such assignment, found with augmenting paths, gives a
// request less than it needs, there is no solution (Hall). Requests with admin access are left out: they may
// take devices that others have.

// matching tells whether all demands can have their devices at the same time.
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

// flow assigns resources to demands. Each demand uses a resource once at most, each resource serves a
// limited number of demands.
type flow struct {
	words    int
	capacity func(w int, bit uint64) int // Of a resource, 1 or more if it is wanted at all.
	demands  []flowDemand
	load     map[int]int // Per resource: demands served, for those that can serve several.
	full     []uint64    // Resources that serve as many demands as they can.
	visited  []uint64
	work     int
}

type flowDemand struct {
	wanted []uint64
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

func (f *flow) add(wanted []uint64, need int) {
	k := len(f.demands)
	var used []uint64
	if k < cap(f.demands) {
		used = f.demands[:k+1][k].used
	}
	f.demands = append(f.demands, flowDemand{wanted, need, cleared(used, f.words)})
}

// saturate tells whether all demands can be served.
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

// augment finds one more resource for a demand, if need be by moving others to different ones.
func (f *flow) augment(i int) bool {
	d := &f.demands[i]
	f.work += 1 + f.words/8
	for w := range f.words {
		for rest := d.wanted[w] &^ d.used[w] &^ f.full[w]; rest != 0; rest &= rest - 1 {
			if bit := rest & -rest; f.occupy(w, bit) {
				d.used[w] |= bit
				return true
			}
		}
	}
	for w := range f.words {
		for {
			rest := d.wanted[w] &^ d.used[w] &^ f.visited[w]
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

// occupy takes a place of a resource if there is one.
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

// evict makes one of the demands that use a resource move to another one.
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
