// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"
)

// changed applies a change to each of the devices.
func changed(list []resourceapi.Device, change func(int, *resourceapi.Device)) []resourceapi.Device {
	for i := range list {
		change(i, &list[i])
	}
	return list
}

// The requests of these inputs depend on each other, so that a choice for one must be taken back, or they do not.
var requestRules = map[string]rule{
	"requests for devices of two kinds in turn": {func(w *world) {
		w.pool("gpu", nil, devices(2)...)
		w.pool("nic", nil, named("nic")...)
		w.claim(exactly("gpu", 1), exactly("nic", 1), exactly("gpu", 1))
	}, []string{"dev-0", "nic", "dev-1"}},
	"a constraint of one of two requests for different devices": {func(w *world) {
		w.pool("gpu", nil, named("whole")...)
		w.pool("nic", nil, roots("a", "b", "b")...)
		constraint := match("nic/root")
		constraint.Requests = []string{"r1"}
		constrained(w.claim(exactly("gpu", 1), exactly("nic", 2)), constraint)
	}, []string{"whole", "dev-1", "dev-2"}},
	"the same value for requests, one of which finds more devices": {func(w *world) {
		w.pool("gpu", nil, devices(2, attribute("root", always("a")), kind("a", "b"))...)
		constrained(w.claim(exactly("gpu", 1, ofKind("b")), exactly("gpu", 1)), match("gpu/root"))
	}, []string{"dev-1", "dev-0"}},
	"four constraints": {func(w *world) {
		w.pool("gpu", nil, devices(3, attribute("a", always("x")), attribute("b", always("x")),
			attribute("c", always("x")), attribute("d", of("x", "y", "x")))...)
		constrained(w.claim(exactly("gpu", 2)), match("gpu/a"), match("gpu/b"), match("gpu/c"), match("gpu/d"))
	}, []string{"dev-0", "dev-2"}},
	"shares of a device, with a constraint": {func(w *world) {
		w.pool("gpu", nil, changed(roots("a", "b"), shared("2"))...)
		constrained(w.claim(exactly("gpu", 1, slots("1")), exactly("gpu", 1, slots("1"))), match("gpu/root"))
	}, []string{"dev-0", "dev-0"}},
	"an alternative that leaves no room for another request": {func(w *world) {
		w.pool("gpu", nil, devices(33)...)
		w.pool("nic", nil, named("nic")...)
		w.claim(firstAvailable(exactly("gpu", 32), exactly("gpu", 1)), exactly("nic", 1))
	}, []string{"dev-0", "nic"}},
	"all devices of a kind, and an alternative without them": {func(w *world) {
		w.pool("gpu", nil, devices(3, kind("a", "a", "b"))...)
		r := all("gpu")
		ofKind("a")(r.Exactly)
		w.claim(firstAvailable(exactly("gpu", 2, ofKind("a")), exactly("gpu", 1, ofKind("b"))), r)
	}, []string{"dev-2", "dev-0", "dev-1"}},
	"counters of the last of many pools": {func(w *world) {
		for i := range 65 {
			w.pool(fmt.Sprintf("a%02d", i), nil, named("other")...)
		}
		w.pool("gpu", memoryOf("10"), changed(parts("6", "4", "6"), kind("a", "a", "b"))...)
		w.claim(exactly("a00", 1), exactly("gpu", 1, ofKind("a")), exactly("gpu", 1, ofKind("b")))
	}, []string{"other", "dev-1", "dev-2"}},
	"a counter that is used up, and another of the same set": {func(w *world) {
		list := changed(devices(3), func(i int, d *resourceapi.Device) {
			consumes(always("gpu"), []map[string]string{{memory: "10"}, {memory: "10"}, {"cores": "1"}}[i])(i, d)
		})
		w.pool("gpu", []resourceapi.CounterSet{counterSet("gpu", map[string]string{memory: "10", "cores": "4"})}, list...)
		w.allocated("0")
		w.claim(exactly("gpu", 1))
	}, []string{"dev-2"}},
	"partitions, without compatibility groups": {func(w *world) {
		w.without(func(f *structured.Features) { f.CompatibilityGroups = false })
		w.pool("gpu", memoryOf("10"), parts("6", "6", "4")...)
		w.claim(exactly("gpu", 2))
	}, []string{"dev-0", "dev-2"}},
	// The first device does not fit with the last one. Its group must not stay that of the GPU.
	"a compatibility group that is left again": {func(w *world) {
		w.pool("gpu", memoryOf("9"), changed(grouped([]string{"mig"}, []string{"vgpu"}, []string{"vgpu"}), kind("a", "a", "b"))...)
		w.claim(exactly("gpu", 1, ofKind("a")), exactly("gpu", 1, ofKind("b")))
	}, []string{"dev-1", "dev-2"}},
	// The shared device does not fit with the last one, whether its first share is for the first request or not.
	"a share that is taken back, and its counters": {func(w *world) {
		list := changed(parts("6", "", "6"), kind("c", "a", "b"))
		shared("2")(0, &list[0])
		w.pool("gpu", memoryOf("10"), list...)
		w.claim(exactly("gpu", 1, selecting(`device.attributes["gpu"].kind != "b"`)), exactly("gpu", 1, ofKind("b")),
			exactly("gpu", 1, ofKind("c"), slots("1")))
	}, nil},
}
