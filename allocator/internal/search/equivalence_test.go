// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/search"
)

// device returns a GPU for changes.
func (w *world) device(i int) *resourceapi.Device {
	for _, slice := range w.slices {
		if slice.Spec.Driver == "gpu" && len(slice.Spec.Devices) > 0 {
			return &slice.Spec.Devices[i]
		}
	}
	panic("there is no GPU")
}

// byDefault makes a device have four slots, of which a share consumes some by default.
func byDefault(amount string) func(int, *resourceapi.Device) {
	return func(i int, d *resourceapi.Device) {
		shared("4")(i, d)
		capacity := d.Capacity["slots"]
		capacity.RequestPolicy = &resourceapi.CapacityRequestPolicy{Default: ptr.To(resource.MustParse(amount))}
		d.Capacity["slots"] = capacity
	}
}

// Each input fits on a node. A change, which makes another node differ in one respect, has the effect that it does
// not fit there.
func TestNodesThatDifferAreNotEquivalent(t *testing.T) {
	for name, test := range map[string]struct{ input, change func(w *world) }{
		"the first of two devices": {func(w *world) {
			w.pool("gpu", nil, devices(2, kind("a", "a"))...)
			w.claim(exactly("gpu", 2, ofKind("a")))
		}, func(w *world) { kind("b")(0, w.device(0)) }},
		"the consumption of a device in the second word": {func(w *world) {
			list := devices(70, attribute("kind", func(i int) string { return fmt.Sprint(i >= 68) }))
			for i := 68; i < 70; i++ {
				consumes(always("gpu"), map[string]string{memory: "5"})(i, &list[i])
			}
			w.pool("gpu", memoryOf("10"), list...)
			w.claim(exactly("gpu", 2, ofKind("true")))
		}, func(w *world) {
			w.device(69).ConsumesCounters[0].Counters = quantities(map[string]string{memory: "6"})
		}},
		"the counters of a pool behind one without devices": {func(w *world) {
			w.pool("aside", memoryOf("10"))
			w.pool("gpu", memoryOf("10"), parts("5", "5")...)
			w.claim(exactly("gpu", 2))
		}, func(w *world) { w.slices[len(w.slices)-1].Spec.SharedCounters = memoryOf("9") }},
		"the capacity of a shared device": {func(w *world) {
			w.pool("gpu", nil, devices(1, shared("2"))...)
			w.claim(exactly("gpu", 1, slots("1")), exactly("gpu", 1, slots("1")))
		}, func(w *world) { shared("1")(0, w.device(0)) }},
		"the default consumption of a shared device": {func(w *world) {
			w.pool("gpu", nil, devices(1, byDefault("1"))...)
			w.claim(exactly("gpu", 1), exactly("gpu", 1), exactly("gpu", 1))
		}, func(w *world) { byDefault("2")(0, w.device(0)) }},
		// What is left is the same. But the counters of the shared device have only been consumed on the first node.
		"an allocated share": {func(w *world) {
			w.without(func(f *structured.Features) { f.CompatibilityGroups = false })
			list := changed(parts("6", "10"), kind("a", "b"))
			shared("2")(0, &list[0])
			w.pool("gpu", memoryOf("16"), list...)
			w.firstShared()
			w.claim(exactly("gpu", 1, ofKind("a"), slots("1")), exactly("gpu", 1, ofKind("b")))
		}, func(w *world) {
			shared("1")(0, w.device(0))
			w.slices[len(w.slices)-1].Spec.SharedCounters = memoryOf("10")
		}},
	} {
		for _, before := range []int{0, 65} {
			t.Run(fmt.Sprintf("%s, behind %d devices", name, before), func(t *testing.T) {
				g := NewWithT(t)
				w := &world{}
				w.behind(before)
				test.input(w)
				p := w.problem(t)
				p.Memory = &search.Memory{}
				// Without a search, as with bounds, nothing would be stored.
				limits := search.Limits{Steps: 10_000, PruneAtOnce: true, Skip: search.AllPrunings}
				_, found, _, err := search.Run(t.Context(), p, limits)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(found).To(BeTrue())
				w.move("other")
				test.change(w)
				w.setNode(t, p, "other")
				_, found, _, err = search.Run(t.Context(), p, limits)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(found).To(BeFalse())
			})
		}
	}
}

// Answers are stored for each view of slices, and for nodes that support the lack of node operations separately.
func TestNodesWithTheSameViewAreSearchedOnce(t *testing.T) {
	g := NewWithT(t)
	w := &world{}
	w.pool("gpu", nil, devices(2)...)
	w.slices[0].Spec.NodeName, w.slices[0].Spec.AllNodes = nil, ptr.To(true)
	w.claim(exactly("gpu", 1))
	p := w.problem(t)
	steps := func() int {
		_, found, stats, err := search.Run(t.Context(), p, search.Limits{Steps: 100})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(found).To(BeTrue())
		return stats.Steps
	}
	needed := steps()
	g.Expect(needed).To(BeNumerically(">", 0))
	g.Expect(steps()).To(Equal(needed), "there is no memory")
	p.Memory = &search.Memory{}
	g.Expect(steps()).To(Equal(needed))
	g.Expect(steps()).To(BeZero())
	p.SkipsNodeOperations = true
	g.Expect(steps()).To(Equal(needed))
	first := p.Node
	w.setNode(t, p, "node")
	g.Expect(p.Node).NotTo(BeIdenticalTo(first))
	g.Expect(steps()).To(Equal(needed))
	p.Node = first
	g.Expect(steps()).To(BeZero(), "the answer for another view does not replace it")
}
