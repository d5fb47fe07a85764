// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"errors"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/search"
)

// Each input has exactly one device, value, share or amount for each that is needed, so that a bound which is too
// strict by one finds no solution.
var exact = map[string]struct {
	input func(w *world)
	want  int
}{
	"all devices": {func(w *world) {
		w.pool("gpu", nil, devices(20, unique)...)
		w.claim(exactly("gpu", 20))
	}, 20},
	"a device for each request": {func(w *world) {
		w.pool("gpu", nil, devices(20, unique)...)
		w.claim(repeat(20, func() resourceapi.DeviceRequest { return exactly("gpu", 1) })...)
	}, 20},
	"all devices for admin access": {func(w *world) {
		w.pool("gpu", nil, devices(20, unique)...)
		w.claim(exactly("gpu", 20, func(r *resourceapi.ExactDeviceRequest) { r.AdminAccess = ptr.To(true) }))
	}, 20},
	"the maximum of a claim": {func(w *world) {
		w.pool("gpu", nil, devices(40)...)
		w.claim(exactly("gpu", 32))
	}, 32},
	"the maximum of a claim with the smaller alternatives": {func(w *world) {
		w.pool("gpu", nil, devices(40)...)
		w.claim(repeat(16, func() resourceapi.DeviceRequest { return firstAvailable(exactly("gpu", 3), exactly("gpu", 2)) })...)
	}, 32},
	"the maximum of each claim, in two words": {func(w *world) {
		w.pool("gpu", nil, devices(97)...)
		for _, n := range []int64{32, 32, 32, 1} {
			w.claim(exactly("gpu", n))
		}
	}, 97},
	"all devices of one root": {func(w *world) {
		w.pool("gpu", nil, devices(47, unique, attribute("root", func(i int) string { return fmt.Sprint(i / 23) }))...)
		constrained(w.claim(exactly("gpu", 12), exactly("gpu", 11)), match("gpu/root"), distinct("gpu/uuid"))
	}, 23},
	"all devices of the last root": {func(w *world) {
		w.pool("gpu", nil, devices(47, unique, attribute("root", func(i int) string { return fmt.Sprint(min(i, 23) / 23) }))...)
		constrained(w.claim(exactly("gpu", 24)), match("gpu/root"), distinct("gpu/uuid"))
	}, 24},
	"all values of an attribute": {func(w *world) {
		w.pool("gpu", nil, devices(64, unique, attribute("root", func(i int) string { return fmt.Sprint(i % 8) }))...)
		constrained(w.claim(exactly("gpu", 5), exactly("gpu", 3)), distinct("gpu/root"))
	}, 8},
	"all memory of a counter": {func(w *world) {
		w.pool("gpu", []resourceapi.CounterSet{counterSet("gpu", map[string]string{"memory": "100Gi"})},
			devices(32, unique, consumes(always("gpu"), map[string]string{"memory": "10Gi"}))...)
		w.claim(exactly("gpu", 4), exactly("gpu", 6))
	}, 10},
	"all memory of two counters, and devices that need none": {func(w *world) {
		memory := map[string]string{"memory": "10Gi"}
		parts := devices(8, consumes(func(i int) string { return fmt.Sprintf("gpu-%d", i/4) }, map[string]string{"memory": "5Gi"}))
		free := devices(2)
		for i := range free {
			free[i].Name = fmt.Sprintf("free-%d", i)
		}
		w.pool("gpu", []resourceapi.CounterSet{counterSet("gpu-0", memory), counterSet("gpu-1", memory)}, append(parts, free...)...)
		w.claim(exactly("gpu", 6))
	}, 6},
	"all memory of a counter, and the larger request first": {func(w *world) {
		w.pool("gpu", memoryOf("100"), devices(32, unique, consumes(always("gpu"), map[string]string{memory: "10"}))...)
		w.claim(exactly("gpu", 6), exactly("gpu", 4))
	}, 10},
	"all of two counters of a set": {func(w *world) {
		list := changed(devices(5), func(i int, d *resourceapi.Device) {
			consumes(always("gpu"), map[string]string{[]string{memory, memory, "cores", "cores", "cores"}[i]: "1"})(i, d)
		})
		w.pool("gpu", []resourceapi.CounterSet{counterSet("gpu", map[string]string{memory: "2", "cores": "3"})}, list...)
		w.claim(exactly("gpu", 5))
	}, 5},
	"all memory of two GPUs in two words, with a device on both": {func(w *world) {
		one, sum := map[string]string{memory: "1"}, map[string]string{memory: "36"}
		list := devices(71, consumes(func(i int) string { return fmt.Sprintf("gpu-%d", i/36) }, one))
		consumes(always("gpu-1"), one)(35, &list[35])
		w.pool("gpu", []resourceapi.CounterSet{counterSet("gpu-0", sum), counterSet("gpu-1", sum)}, list...)
		for _, n := range []int64{32, 32, 7} {
			w.claim(exactly("gpu", n))
		}
	}, 71},
	"partitions that fill GPUs": {func(w *world) {
		six, five := packing(w, "gpu", 4)
		w.claim(five(), six(), five(), five(), six(), five())
	}, 6},
	"a share for each request": {func(w *world) {
		w.pool("nic", nil, devices(6, shared("5"))...)
		w.claim(repeat(30, func() resourceapi.DeviceRequest {
			return exactly("nic", 1, func(r *resourceapi.ExactDeviceRequest) {
				r.Capacity = &resourceapi.CapacityRequirements{Requests: capacityOf("1")}
			})
		})...)
	}, 30},
	"all shares of two devices in two words": {func(w *world) {
		w.pool("gpu", nil, devices(1, shared("5"))...)
		w.pool("nic", nil, devices(1, shared("5"))...)
		w.claim(repeat(10, func() resourceapi.DeviceRequest { return exactly(anyClass, 1, slots("1")) })...)
	}, 10},
	"more others, and the few devices of a kind": {func(w *world) {
		w.pool("gpu", nil, devices(8, unique, attribute("kind", func(i int) string { return fmt.Sprint(i / 2) }))...)
		r := all("gpu")
		ofKind("0")(r.Exactly)
		w.claim(exactly("gpu", 6))
		w.claim(r)
	}, 8},
	"all devices of a kind, and all others": {func(w *world) {
		w.pool("gpu", nil, devices(16, unique, attribute("kind", func(i int) string { return fmt.Sprint(i / 8) }))...)
		kind := all("gpu")
		selecting(`device.attributes["gpu"].kind == "0"`)(kind.Exactly)
		w.claim(exactly("gpu", 8))
		w.claim(kind)
	}, 16},
}

// The first solution does not depend on prunings, nor on other devices that come first and fill two words. A search
// without some prunings may take too many steps.
func TestWhatFitsExactlyIsFound(t *testing.T) {
	limits := []search.Limits{{Skip: search.AllPrunings}, {PruneAtOnce: true}}
	for pruning := search.Pruning(1); pruning <= search.AllPrunings; pruning <<= 1 {
		limits = append(limits, search.Limits{PruneAtOnce: true, Skip: pruning}, search.Limits{PruneAtOnce: true, Skip: search.AllPrunings &^ pruning})
	}
	for name, test := range exact {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			moved := &world{}
			moved.pool("before", nil, devices(65)...)
			test.input(moved)
			w := &world{}
			test.input(w)
			first, stats, err := w.run(t, search.Limits{Steps: 10_000, PruneAtOnce: true})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(first).To(HaveLen(test.want))
			t.Logf("%d steps", stats.Steps)
			behind, _, err := moved.run(t, search.Limits{Steps: 10_000, PruneAtOnce: true})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(behind).To(Equal(first))
			for _, l := range limits {
				l.Steps = 5_000
				found, _, err := w.run(t, l)
				if l.Skip != 0 && errors.Is(err, search.ErrBudget) {
					continue
				}
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(found).To(Equal(first), "without prunings %b", l.Skip)
			}
		})
	}
}

// As many values as devices. The values of the claims lock the devices.
func TestADeviceForEachValueIsFound(t *testing.T) {
	g := NewWithT(t)
	_, problem := contested(t, func(int) bool { return true }, "a", "b", "c", "a", "b", "c")
	for _, skip := range []search.Pruning{0, search.PruneLocks, search.AllPrunings &^ search.PruneLocks} {
		p := problem()
		answer, found, _, err := search.Run(t.Context(), p, search.Limits{Steps: 10_000, PruneAtOnce: true, Skip: skip})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(found).To(BeTrue())
		g.Expect(deviceNames(p, answer)).To(Equal([]string{"dev-0", "dev-1", "dev-2", "dev-0", "dev-1", "dev-2"}))
	}
}
