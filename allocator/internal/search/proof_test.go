// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/internal/search"
)

// proofs are inputs without a solution, which prunings prove with nearly no choice.
var proofs = map[string]struct {
	prunings search.Pruning
	input    func(w *world)
}{
	"all devices of a kind that no device has": {search.PruneCounts, func(w *world) {
		w.pool("gpu", nil, devices(30, attribute("kind", always("a")))...)
		r := all("gpu")
		ofKind("b")(r.Exactly)
		w.claim(exactly("gpu", 1), r)
	}},
	"as many devices as a claim can have, and one more": {search.PruneMatching, func(w *world) {
		w.pool("gpu", nil, devices(32)...)
		w.claim(exactly("gpu", 32))
		w.claim(exactly("gpu", 1))
	}},
	"devices that a request for all devices needs": {search.PruneReserve, func(w *world) {
		w.pool("gpu", nil, devices(16, attribute("kind", func(i int) string { return fmt.Sprint(i / 8) }))...)
		r := all("gpu")
		ofKind("0")(r.Exactly)
		w.claim(exactly("gpu", 9))
		w.claim(r)
	}},
	"more shares than two devices have": {search.PruneShares | search.PruneMatching, func(w *world) {
		w.pool("gpu", nil, devices(2, shared("5"))...)
		for range 11 {
			w.claim(exactly("gpu", 1, slots("1")))
		}
	}},
	"more than what is left of a shared device": {search.PruneShares | search.PruneCounts, func(w *world) {
		w.pool("gpu", nil, append(named("other"), devices(1, shared("2"))...)...)
		w.pool("nic", nil, devices(30)...)
		w.firstShared()
		w.claim(exactly("nic", 1), exactly("gpu", 1, slots("2")))
	}},
	// Each request alone has enough memory, and so have the two smallest devices.
	"memory for a device of each of two sizes": {search.PruneCounters, func(w *world) {
		list := parts(append(slices.Repeat([]string{"6"}, 30), slices.Repeat([]string{"5"}, 30)...)...)
		w.pool("gpu", memoryOf("10"), changed(list, attribute("kind", func(i int) string { return fmt.Sprint(i / 30) }))...)
		w.claim(exactly("gpu", 1, ofKind("0")), exactly("gpu", 1, ofKind("1")))
	}},
	"24 devices of one of two roots with 23": {search.PruneMatchValues, func(w *world) {
		w.pool("gpu", nil, devices(46, attribute("root", func(i int) string { return fmt.Sprint(i / 23) }))...)
		constrained(w.claim(exactly("gpu", 12), exactly("gpu", 12)), match("gpu/root"))
	}},
	"24 devices of one of two roots with 23, without lists": {search.PruneMatchValues, func(w *world) {
		w.without(func(f *structured.Features) { f.ListTypeAttributes = false })
		w.pool("gpu", nil, devices(46, attribute("root", func(i int) string { return fmt.Sprint(i / 23) }))...)
		constrained(w.claim(exactly("gpu", 24)), match("gpu/root"))
	}},
	"one of equal devices, and a device that does not exist": {search.PruneSymmetry, func(w *world) {
		w.pool("gpu", nil, devices(30)...)
		w.claim(exactly("gpu", 1), exactly("nic", 1))
	}},
}

// The proofs need nearly no steps, and a search without prunings needs more. They do not depend on other devices that
// come first and fill two words.
func TestProofsNeedFewSteps(t *testing.T) {
	const few = 20
	for name, test := range proofs {
		for _, before := range []int{0, 65} {
			t.Run(fmt.Sprintf("%s, behind %d devices", name, before), func(t *testing.T) {
				g := NewWithT(t)
				w := &world{}
				w.behind(before)
				test.input(w)
				found, with, err := w.run(t, search.Limits{Steps: 5_000, PruneAtOnce: true, Skip: search.AllPrunings &^ test.prunings})
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(found).To(BeNil())
				g.Expect(with.Steps).To(BeNumerically("<", few))
				_, without, _ := w.run(t, search.Limits{Steps: 5_000, PruneAtOnce: true, Skip: search.AllPrunings})
				g.Expect(without.Steps).To(BeNumerically(">", few))
			})
		}
	}
}

// A node without any pool is as common as one with devices.
func TestNodeWithoutDevices(t *testing.T) {
	for pruning := search.Pruning(1); pruning <= search.AllPrunings; pruning <<= 1 {
		g := NewWithT(t)
		w := &world{}
		w.claim(exactly("gpu", 1), exactly("gpu", 1))
		found, _, err := w.run(t, search.Limits{Steps: 100, PruneAtOnce: true, Skip: search.AllPrunings &^ pruning})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(found).To(BeNil(), "with pruning %b only", pruning)
	}
}
