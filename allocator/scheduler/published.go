package scheduler

import (
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
)

// published is the ResourceSlices, and what was found out about them as a whole. It does not change.
type published struct {
	slices []*resourceapi.ResourceSlice
	// nodes are those with devices, nil if any node may have some.
	nodes sets.Set[string]
	// demanding are the devices with a sharing affinity; affinity is set if there are any, or some that cannot be read.
	demanding []demanding
	affinity  bool
}

// publications recognises ResourceSlices that are the same as the last time. The framework lists them in another order
// each time, which makes no difference, but to find that out by sorting takes longer than anything else PreFilter does.
type publications struct {
	mu    sync.Mutex
	last  *published
	known map[*resourceapi.ResourceSlice]struct{}
}

// current returns what is published, given a list without duplicates.
func (p *publications) current(list []*resourceapi.ResourceSlice) *published {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last != nil && p.same(list) {
		return p.last
	}
	p.last = &published{slices: list, nodes: nodesWithDevices(list)}
	p.last.demanding, p.last.affinity = demandingDevices(list)
	p.known = make(map[*resourceapi.ResourceSlice]struct{}, len(list))
	for _, slice := range list {
		p.known[slice] = struct{}{}
	}
	return p.last
}

func (p *publications) same(list []*resourceapi.ResourceSlice) bool {
	if len(list) != len(p.known) {
		return false
	}
	for _, slice := range list {
		if _, ok := p.known[slice]; !ok {
			return false
		}
	}
	return true
}
