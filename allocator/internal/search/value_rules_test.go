// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"
)

const memory = "memory"

// parts returns partitions that consume amounts of one counter set. An empty amount is a device without counters.
func parts(amounts ...string) []resourceapi.Device {
	list := devices(len(amounts))
	for i, amount := range amounts {
		if amount != "" {
			consumes(always("gpu"), map[string]string{memory: amount})(i, &list[i])
		}
	}
	return list
}

// grouped returns partitions with compatibility groups.
func grouped(groups ...[]string) []resourceapi.Device {
	list := devices(len(groups), consumes(always("gpu"), map[string]string{memory: "1"}))
	for i := range list {
		list[i].ConsumesCounters[0].CompatibilityGroups = groups[i]
	}
	return list
}

func memoryOf(amount string) []resourceapi.CounterSet {
	return []resourceapi.CounterSet{counterSet("gpu", map[string]string{memory: amount})}
}

var counterRules = map[string]rule{
	"partitions that do not fit at the same time": {func(w *world) {
		w.pool("gpu", memoryOf("10"), parts("6", "6", "4")...)
		w.claim(exactly("gpu", 2))
	}, []string{"dev-0", "dev-2"}},
	"partitions of which too many would be needed": {func(w *world) {
		w.pool("gpu", memoryOf("10"), parts("4", "4", "4", "4")...)
		w.claim(exactly("gpu", 3))
	}, nil},
	"a partition that is allocated": {func(w *world) {
		w.pool("gpu", memoryOf("10"), parts("6", "6", "4")...)
		w.allocated("0")
		w.claim(exactly("gpu", 1))
	}, []string{"dev-2"}},
	"a counter that is overdrawn": {func(w *world) {
		w.pool("gpu", memoryOf("10"), parts("6", "6", "0", "")...)
		w.allocated("0", "1")
		w.claim(exactly("gpu", 1))
	}, []string{"dev-3"}},
	"a counter that is used up, and another": {func(w *world) {
		memory := map[string]string{memory: "10"}
		w.pool("gpu", []resourceapi.CounterSet{counterSet("gpu-0", memory), counterSet("gpu-1", memory)},
			devices(3, consumes(func(i int) string { return []string{"gpu-0", "gpu-0", "gpu-1"}[i] }, memory))...)
		w.allocated("0")
		w.claim(exactly("gpu", 1))
	}, []string{"dev-2"}},
	"a counter that is overdrawn, and a device that gives back": {func(w *world) {
		w.pool("gpu", memoryOf("10"), parts("6", "6", "0", "-1", "-2")...)
		w.allocated("0", "1")
		w.claim(exactly("gpu", 1))
	}, []string{"dev-4"}},
	"a shared partition": {func(w *world) {
		list := parts("6", "6", "4")
		shared("2")(0, &list[0])
		w.pool("gpu", memoryOf("10"), list...)
		w.claim(exactly("gpu", 1, slots("1")), exactly("gpu", 1, slots("1")))
	}, []string{"dev-0", "dev-0"}},
	"a shared partition, of which a share is allocated": {func(w *world) {
		list := parts("6", "6", "4")
		shared("2")(0, &list[0])
		w.pool("gpu", memoryOf("10"), list...)
		w.firstShared()
		w.claim(exactly("gpu", 1, slots("1")), exactly("gpu", 1))
	}, []string{"dev-0", "dev-2"}},
	"devices of one compatibility group": {func(w *world) {
		w.pool("gpu", memoryOf("9"), grouped([]string{"mig"}, []string{"vgpu"}, []string{"other", "mig"})...)
		w.claim(exactly("gpu", 2))
	}, []string{"dev-0", "dev-2"}},
	"devices without compatibility groups": {func(w *world) {
		w.pool("gpu", memoryOf("9"), grouped(nil, []string{"mig"}, nil)...)
		w.claim(exactly("gpu", 2))
	}, []string{"dev-0", "dev-2"}},
	"a group that not all of three devices have": {func(w *world) {
		w.pool("gpu", memoryOf("9"), grouped([]string{"a", "b"}, []string{"b", "c"}, []string{"a", "c"}, []string{"c", "b"})...)
		w.claim(exactly("gpu", 3))
	}, []string{"dev-0", "dev-1", "dev-3"}},
	"the group of an allocated device": {func(w *world) {
		w.pool("gpu", memoryOf("9"), grouped([]string{"mig"}, []string{"vgpu"}, nil, []string{"mig"})...)
		w.allocated("0")
		w.claim(exactly("gpu", 1))
	}, []string{"dev-3"}},
}

// lists gives devices lists as the attribute root.
func lists(values ...[]int64) []resourceapi.Device {
	list := devices(len(values))
	for i, v := range values {
		list[i].Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"root": {IntValues: v}}
	}
	return list
}

func roots(values ...string) []resourceapi.Device {
	list := devices(len(values))
	for i, v := range values {
		if v != "" {
			attribute("root", of(values...))(i, &list[i])
		}
	}
	return list
}

// asks constrains a number of devices.
func asks(count int64, constraint resourceapi.DeviceConstraint, from ...resourceapi.Device) func(w *world) {
	return func(w *world) {
		w.pool("gpu", nil, from...)
		constrained(w.claim(exactly("gpu", count)), constraint)
	}
}

func scalarsOnly(input func(w *world)) func(w *world) {
	return func(w *world) {
		w.without(func(f *structured.Features) { f.ListTypeAttributes = false })
		input(w)
	}
}

var valueRules = map[string]rule{
	"the same value":                    {asks(2, match("gpu/root"), roots("a", "b", "b")...), []string{"dev-1", "dev-2"}},
	"the same value, without lists":     {scalarsOnly(asks(2, match("gpu/root"), roots("a", "b", "b")...)), []string{"dev-1", "dev-2"}},
	"the same value of too few":         {asks(3, match("gpu/root"), roots("a", "b", "b", "a")...), nil},
	"devices without a value":           {asks(2, match("gpu/root"), roots("", "a", "", "a")...), []string{"dev-1", "dev-3"}},
	"different values":                  {asks(2, distinct("gpu/root"), roots("a", "a", "b")...), []string{"dev-0", "dev-2"}},
	"different values, without lists":   {scalarsOnly(asks(2, distinct("gpu/root"), roots("a", "a", "b")...)), []string{"dev-0", "dev-2"}},
	"different values of too few":       {asks(3, distinct("gpu/root"), roots("a", "b", "b", "a")...), nil},
	"no value that differs":             {asks(2, distinct("gpu/root"), roots("", "a", "", "b")...), []string{"dev-1", "dev-3"}},
	"lists with a common value":         {asks(2, match("gpu/root"), lists([]int64{1, 4, 6}, []int64{2, 3, 5}, []int64{2, 3, 6})...), []string{"dev-0", "dev-2"}},
	"lists with a later common value":   {asks(2, match("gpu/root"), lists([]int64{1, 2, 6}, []int64{7, 8}, []int64{6, 9})...), []string{"dev-0", "dev-2"}},
	"lists, each two of which meet":     {asks(3, match("gpu/root"), lists([]int64{1, 2}, []int64{2, 3}, []int64{3, 1}, []int64{2})...), []string{"dev-0", "dev-1", "dev-3"}},
	"lists without a common value":      {asks(2, distinct("gpu/root"), lists([]int64{1, 4, 6}, []int64{2, 6}, []int64{2, 3, 5})...), []string{"dev-0", "dev-2"}},
	"lists that have only the last one": {asks(2, distinct("gpu/root"), lists([]int64{6}, []int64{1, 2, 6}, []int64{1, 2})...), []string{"dev-0", "dev-2"}},
	"empty lists do not match":          {asks(1, match("gpu/root"), lists([]int64{}, []int64{1})...), []string{"dev-1"}},
	"empty lists are not distinct":      {asks(1, distinct("gpu/root"), lists([]int64{}, []int64{1})...), []string{"dev-1"}},
	"a constraint of the second request": {func(w *world) {
		w.pool("gpu", nil, roots("a", "b", "b")...)
		constraint := match("gpu/root")
		constraint.Requests = []string{"r1"}
		constrained(w.claim(exactly("gpu", 1), exactly("gpu", 2)), constraint)
	}, []string{"dev-0", "dev-1", "dev-2"}},
	"the same value for two requests": {func(w *world) {
		w.pool("gpu", nil, roots("a", "b", "b", "b")...)
		constrained(w.claim(exactly("gpu", 1), exactly("gpu", 2)), match("gpu/root"))
	}, []string{"dev-1", "dev-2", "dev-3"}},
	"a constraint of one claim": {func(w *world) {
		w.pool("gpu", nil, roots("a", "b", "b")...)
		w.claim(exactly("gpu", 1))
		constrained(w.claim(exactly("gpu", 2)), match("gpu/root"))
	}, []string{"dev-0", "dev-1", "dev-2"}},
}
