// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

// sliceLimit is the maximum number of some elements in a ResourceSlice
// (KEP-4815, Limits, and the API documentation of the fields). field is the
// field in the validation error for one more element. slice returns a
// ResourceSlice with n elements.
type sliceLimit struct {
	name  string
	limit int
	field string
	slice func(n int) resourceapi.ResourceSliceSpec
}

var sliceLimits = []sliceLimit{
	{"counter sets", 8, "spec.sharedCounters", func(n int) resourceapi.ResourceSliceSpec {
		return newSlice(makeCounterSets(n, 1), nil)
	}},
	{"counters in a counter set", 32, "spec.sharedCounters[0].counters", func(n int) resourceapi.ResourceSliceSpec {
		return newSlice(makeCounterSets(1, n), nil)
	}},
	{"counter sets of a device", 2, "spec.devices[0].consumesCounters", func(n int) resourceapi.ResourceSliceSpec {
		return newSlice(nil, []resourceapi.Device{{Name: "device", ConsumesCounters: makeConsumption(n, 1)}})
	}},
	{"counters that a device consumes of a counter set", 32, "spec.devices[0].consumesCounters[0].counters", func(n int) resourceapi.ResourceSliceSpec {
		return newSlice(nil, []resourceapi.Device{{Name: "device", ConsumesCounters: makeConsumption(1, n)}})
	}},
	{"attributes of a device", 32, "spec.devices[0]", func(n int) resourceapi.ResourceSliceSpec {
		return newSlice(nil, []resourceapi.Device{{Name: "device", Attributes: makeAttributes(n)}})
	}},
	{"attributes and capacities of a device", 32, "spec.devices[0]", func(n int) resourceapi.ResourceSliceSpec {
		capacity := map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse("1")}}
		return newSlice(nil, []resourceapi.Device{{Name: "device", Attributes: makeAttributes(n - 1), Capacity: capacity}})
	}},
	{"devices, one of which consumes counters", 64, "spec.devices", func(n int) resourceapi.ResourceSliceSpec {
		all := makeDevices(n)
		all[n-1].ConsumesCounters = makeConsumption(1, 1)
		return newSlice(nil, all)
	}},
	{"devices without counters", 128, "spec.devices", func(n int) resourceapi.ResourceSliceSpec {
		return newSlice(nil, makeDevices(n))
	}},
}

func newSlice(sets []resourceapi.CounterSet, devices []resourceapi.Device) resourceapi.ResourceSliceSpec {
	return resourceapi.ResourceSliceSpec{NodeName: ptr.To("node"), SharedCounters: sets, Devices: devices}
}

// longName returns a name of the given length for element n.
func longName(what string, n, length int) string {
	name := fmt.Sprintf("%s-%03d-", what, n)
	return name + strings.Repeat("x", length-len(name))
}

func makeCounterSets(n, counters int) []resourceapi.CounterSet {
	var sets []resourceapi.CounterSet
	for i := range n {
		sets = append(sets, resourceapi.CounterSet{Name: longName("set", i, 63), Counters: makeCounters(counters)})
	}
	return sets
}

func makeConsumption(sets, counters int) []resourceapi.DeviceCounterConsumption {
	var all []resourceapi.DeviceCounterConsumption
	for i := range sets {
		all = append(all, resourceapi.DeviceCounterConsumption{CounterSet: longName("set", i, 63), Counters: makeCounters(counters)})
	}
	return all
}

func makeCounters(n int) map[string]resourceapi.Counter {
	counters := map[string]resourceapi.Counter{}
	for i := range n {
		counters[longName("counter", i, 63)] = resourceapi.Counter{Value: resource.MustParse("1")}
	}
	return counters
}

func makeAttributes(n int) map[resourceapi.QualifiedName]resourceapi.DeviceAttribute {
	all := map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
	for i := range n {
		// An identifier must not contain dashes. Its domain may have 63
		// characters.
		name := longName("domain", i, 59) + ".dev/" + strings.Repeat("x", 32)
		all[resourceapi.QualifiedName(name)] = resourceapi.DeviceAttribute{StringValue: ptr.To(strings.Repeat("x", 64))}
	}
	return all
}

func makeDevices(n int) []resourceapi.Device {
	var all []resourceapi.Device
	for i := range n {
		all = append(all, resourceapi.Device{Name: longName("device", i, 63)})
	}
	return all
}

// largestSlices returns a pool with the maximum number of all elements: counter
// sets in one slice, devices in another.
func largestSlices(node string) []resourceapi.ResourceSliceSpec {
	pool := resourceapi.ResourcePool{Name: node}
	all := makeDevices(64)
	for i := range all {
		all[i].ConsumesCounters, all[i].Attributes = makeConsumption(2, 32), makeAttributes(32)
	}
	return []resourceapi.ResourceSliceSpec{
		{Pool: pool, NodeName: &node, SharedCounters: makeCounterSets(8, 32)},
		{Pool: pool, NodeName: &node, Devices: all},
	}
}
