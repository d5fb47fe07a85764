// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package topology_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/fakedriver/topology"
)

// These descriptions cover cases that the embedded topologies do not.
const (
	singleChips = `{name: chips, grid: 8x8, hosts: {chips: 2x2, label: host},
		slices: [{shape: 1x1}, {shape: 1x2}, {shape: 2x2}, {shape: 2x4}, {shape: 4x4}, {shape: 4x8}, {shape: 8x8}]}`
	overlapping = `{name: overlapping, grid: 8x8, hosts: {chips: 2x2, label: host},
		slices: [{shape: 2x2}, {shape: 4x4, step: 2x2}, {shape: 8x4, step: 2x2}, {shape: 4x8, step: 2x2}, {shape: 8x8}]}`
	acrossHosts = `{name: across-hosts, grid: 4x4, hosts: {chips: 2x2, label: host},
		slices: [{shape: 2x2, step: 1x1}, {shape: 3x3, step: 1x1}]}`
	cube    = `{name: cube, grid: 4x4x4, hosts: {chips: 2x2x1, label: host}, slices: [{shape: 2x2x1}, {shape: 2x2x2}, {shape: 2x2x4}, {shape: 4x4x4}]}`
	pod     = `{name: pod, grid: 16x16, hosts: {chips: 2x2, label: host}, slices: [{shape: 2x2}, {shape: 4x4}, {shape: 4x8}, {shape: 8x8}, {shape: 8x16}, {shape: 16x16}]}`
	twoPods = `{name: two-pods, grid: 16x32, hosts: {chips: 2x2, label: host}, slices: [{shape: 2x2}, {shape: 4x4}, {shape: 8x8}, {shape: 16x16}]}`
)

func everyTopology(t *testing.T) []*topology.Topology {
	t.Helper()
	var all []*topology.Topology
	for _, name := range topology.Names() {
		all = append(all, load(t, name))
	}
	for _, description := range []string{singleChips, overlapping, acrossHosts, cube, pod, twoPods} {
		all = append(all, parse(t, description))
	}
	return all
}

// overdrawn reports whether the devices exceed a counter, computed like in a
// scheduler.
func overdrawn(pool *topology.Pool, devices ...resourceapi.Device) bool {
	type counter struct{ set, name string }
	left := map[counter]resource.Quantity{}
	for _, set := range pool.CounterSets {
		for name, value := range set.Counters {
			left[counter{set.Name, name}] = value.Value.DeepCopy()
		}
	}
	for _, device := range devices {
		for _, consumption := range device.ConsumesCounters {
			for name, value := range consumption.Counters {
				rest, defined := left[counter{consumption.CounterSet, name}]
				if !defined {
					return true
				}
				rest.Sub(value.Value)
				left[counter{consumption.CounterSet, name}] = rest
			}
		}
	}
	for _, rest := range left {
		if rest.Sign() < 0 {
			return true
		}
	}
	return false
}

func share(a, b map[string]bool) bool {
	for chip := range a {
		if b[chip] {
			return true
		}
	}
	return false
}

func TestDevicesExcludeEachOtherIfTheyShareChips(t *testing.T) {
	for _, described := range everyTopology(t) {
		t.Run(described.Name(), func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			pool := pool(described)
			chips := make([]map[string]bool, len(pool.Devices))
			for i, device := range pool.Devices {
				chips[i] = chipsOf(t, device)
				g.Expect(overdrawn(pool, device)).To(BeFalse(), "%s alone", device.Name)
			}
			for i, a := range pool.Devices {
				for j, b := range pool.Devices[:i] {
					if overdrawn(pool, a, b) != share(chips[i], chips[j]) {
						t.Errorf("%s and %s: share chips: %t, overdraw a counter: %t", a.Name, b.Name, share(chips[i], chips[j]), overdrawn(pool, a, b))
					}
				}
			}
		})
	}
}

// Allocating devices that fit, in any order, allocates no chip twice and leaves
// no chip that cannot be allocated.
func TestAllocationsUseEachChipOnce(t *testing.T) {
	for _, described := range everyTopology(t) {
		t.Run(described.Name(), func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			pool := pool(described)
			random := rand.New(rand.NewPCG(1, 2))
			for range 10 {
				var allocated []resourceapi.Device
				used := map[string]bool{}
				for _, i := range random.Perm(len(pool.Devices)) {
					device := pool.Devices[i]
					fits := !overdrawn(pool, append(slices.Clone(allocated), device)...)
					g.Expect(fits).To(Equal(!share(used, chipsOf(t, device))), device.Name)
					if !fits {
						continue
					}
					allocated = append(allocated, device)
					for chip := range chipsOf(t, device) {
						used[chip] = true
					}
				}
			}
		})
	}
}

func TestNumberOfCounters(t *testing.T) {
	for _, test := range []struct {
		topology *topology.Topology
		sets     []int // number of counters in each set
		draws    int   // total for all devices
	}{
		{load(t, "4x4"), []int{4}, 4*1 + 2*2 + 1*4},
		{load(t, "8x8"), []int{16}, 16*1 + 8*2 + 4*4 + 2*8 + 1*16},
		{parse(t, singleChips), []int{32, 32}, 64 + 32*2 + 16*4 + 8*8 + 4*16 + 2*32 + 64},
		{parse(t, pod), []int{32, 32}, 64 + 16*4 + 8*8 + 4*16 + 2*32 + 64},
		{parse(t, twoPods), []int{32, 32, 32, 32}, 2 * (64 + 16*4 + 4*16 + 64)},
	} {
		t.Run(test.topology.Name(), func(t *testing.T) {
			g := NewWithT(t)
			pool := pool(test.topology)
			var sets []int
			for _, set := range pool.CounterSets {
				sets = append(sets, len(set.Counters))
			}
			g.Expect(sets).To(Equal(test.sets))
			draws := 0
			for _, device := range pool.Devices {
				for _, consumption := range device.ConsumesCounters {
					draws += len(consumption.Counters)
				}
			}
			g.Expect(draws).To(Equal(test.draws))
		})
	}
}
