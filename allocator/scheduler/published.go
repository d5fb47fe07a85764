// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
)

// published is the ResourceSlices with properties that are derived from all of them. It is immutable.
type published struct {
	slices []*resourceapi.ResourceSlice
	// nodes are the nodes with devices. It is nil if any node may have devices.
	nodes sets.Set[string]
	// affinityDevices are the devices with a sharing affinity. affinity is set if there are any, or if a declaration cannot
	// be parsed.
	affinityDevices []affinityDevice
	affinity        bool
}

// publications detects whether the ResourceSlices are unchanged since the last call. The framework lists them in a
// different order each time. The order is irrelevant, and sorting them would take longer than anything else in
// PreFilter.
type publications struct {
	mu    sync.Mutex
	last  *published
	known map[*resourceapi.ResourceSlice]struct{}
}

// current returns the published state for a list of slices without duplicates.
func (p *publications) current(list []*resourceapi.ResourceSlice) *published {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last != nil && p.same(list) {
		return p.last
	}
	p.last = &published{slices: list, nodes: nodesWithDevices(list)}
	p.last.affinityDevices, p.last.affinity = devicesWithAffinity(list)
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
