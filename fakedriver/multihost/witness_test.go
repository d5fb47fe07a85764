// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost_test

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/dynamic-resource-allocation/resourceslice"

	"github.com/draconform/draconform/fakedriver/publish"
	"github.com/draconform/draconform/fakedriver/topology"
)

// witness watches ResourceSlices as a scheduler does. After each event it
// determines whether a pool is complete. It then checks that a complete pool is
// consistent: all devices that share a host agree on whether the host exists,
// all consumed counters exist, and the content of a generation never changes.
type witness struct {
	done sync.WaitGroup

	mu       sync.Mutex
	slices   map[string]*resourceapi.ResourceSlice
	contents map[string]string
	complete int // number of events after which a pool was complete
	problems []string
}

func newWitness(watcher watch.Interface) *witness {
	w := &witness{slices: map[string]*resourceapi.ResourceSlice{}, contents: map[string]string{}}
	w.done.Go(func() {
		for event := range watcher.ResultChan() {
			w.see(event.Type, event.Object.(*resourceapi.ResourceSlice))
		}
	})
	return w
}

func (w *witness) see(event watch.EventType, slice *resourceapi.ResourceSlice) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if event == watch.Deleted {
		delete(w.slices, slice.Name)
	} else {
		w.slices[slice.Name] = slice
	}
	pools := map[string][]*resourceapi.ResourceSlice{}
	for _, name := range slices.Sorted(maps.Keys(w.slices)) {
		slice := w.slices[name]
		pools[slice.Spec.Pool.Name] = append(pools[slice.Spec.Pool.Name], slice)
	}
	for _, pool := range pools {
		w.checkPools(newest(pool))
	}
}

// newest removes the slices that consumers must ignore.
func newest(pool []*resourceapi.ResourceSlice) []*resourceapi.ResourceSlice {
	var highest int64
	for _, slice := range pool {
		highest = max(highest, slice.Spec.Pool.Generation)
	}
	return slices.DeleteFunc(pool, func(slice *resourceapi.ResourceSlice) bool { return slice.Spec.Pool.Generation < highest })
}

func (w *witness) checkPools(pool []*resourceapi.ResourceSlice) {
	first := pool[0].Spec.Pool
	if int64(len(pool)) != first.ResourceSliceCount {
		return
	}
	w.complete++
	var content []resourceslice.Slice
	for _, slice := range pool {
		content = append(content, resourceslice.Slice{Devices: slice.Spec.Devices, SharedCounters: slice.Spec.SharedCounters})
	}
	generation, now := fmt.Sprintf("generation %d of pool %s", first.Generation, first.Name), fmt.Sprint(content)
	if before, ok := w.contents[generation]; ok && before != now {
		w.problems = append(w.problems, generation+" changed its content")
	}
	w.contents[generation] = now
	w.problems = append(w.problems, mixed(content)...)
}

// mixed returns contradictions between the devices of a pool about hosts. In
// the topologies of these tests, each host has a device that is on no other
// host. The counters of that device identify the host.
func mixed(content []resourceslice.Slice) []string {
	defined, available := map[string]bool{}, map[string]bool{}
	var devices []resourceapi.Device
	for _, slice := range content {
		for _, set := range slice.SharedCounters {
			for name := range set.Counters {
				defined[set.Name+"/"+name] = true
			}
		}
		devices = append(devices, slice.Devices...)
	}
	var problems []string
	for _, device := range devices {
		if counters := countersOf(device); len(counters) == 1 {
			available[counters[0]] = isAvailable(device)
		}
	}
	for _, device := range devices {
		whole := true
		for _, counter := range countersOf(device) {
			whole = whole && available[counter]
			if !defined[counter] {
				problems = append(problems, fmt.Sprintf("%s consumes %s, which does not exist", device.Name, counter))
			}
		}
		if isAvailable(device) != whole {
			problems = append(problems, fmt.Sprintf("%s: available: %t, all its hosts: %t", device.Name, isAvailable(device), whole))
		}
	}
	return problems
}

func countersOf(device resourceapi.Device) []string {
	var counters []string
	for _, consumption := range device.ConsumesCounters {
		for name := range consumption.Counters {
			counters = append(counters, consumption.CounterSet+"/"+name)
		}
	}
	return counters
}

func isAvailable(device resourceapi.Device) bool {
	return len(device.NodeSelector.NodeSelectorTerms[0].MatchExpressions) == 1
}

func TestWitness(t *testing.T) {
	g := NewWithT(t)
	four, err := topology.Load("4x4")
	g.Expect(err).NotTo(HaveOccurred())
	// render returns the pool while the given hosts exist, with one device
	// slice more than usual.
	render := func(generation int64, present ...int) []*resourceapi.ResourceSlice {
		all, some := four.Nodes(), topology.Nodes{Label: hostLabel, Values: map[int]string{}}
		for _, host := range present {
			some.Values[host] = all.Values[host]
		}
		layout, err := four.Pool(some).Slices(publish.SeparateCounters)
		g.Expect(err).NotTo(HaveOccurred())
		devices := layout[1].Devices
		layout[1].Devices = devices[:4]
		layout = append(layout, resourceslice.Slice{Devices: devices[4:]})
		objects := publish.Objects(driver, "4x4", layout)
		for _, object := range objects {
			object.Spec.Pool.Generation = generation
		}
		return objects
	}
	for _, test := range []struct {
		name   string
		events []*resourceapi.ResourceSlice
		want   string
	}{
		{"all hosts, then three", append(render(1, 0, 1, 2, 3), render(2, 0, 1, 2)...), ""},
		{"an update that stops", append(render(1, 0, 1, 2, 3), render(2, 0, 1, 2)[:2]...), ""},
		{"the same generation", append(render(1, 0, 1, 2, 3), render(1, 0, 1, 2)...), "generation 1 of pool 4x4 changed its content"},
		{"larger devices are late", append(render(1, 0, 1, 2)[:2], render(1, 0, 1, 2, 3)[2]), "tpu-4x4-0-0: available: true, all its hosts: false"},
		{"smaller devices are late", append(render(1, 0, 1, 2, 3)[:2], render(1, 0, 1, 2)[2]), "tpu-4x4-0-0: available: false, all its hosts: true"},
	} {
		w := &witness{slices: map[string]*resourceapi.ResourceSlice{}, contents: map[string]string{}}
		for _, slice := range test.events {
			w.see(watch.Modified, slice)
		}
		if test.want == "" {
			g.Expect(w.problems).To(BeEmpty(), test.name)
			continue
		}
		g.Expect(w.problems).To(ContainElement(test.want), test.name)
	}
}
