// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/internal/search"
)

// twoGPUs returns two counter sets with 10 of each counter.
func twoGPUs(counters ...string) []resourceapi.CounterSet {
	amounts := map[string]string{}
	for _, name := range counters {
		amounts[name] = "10"
	}
	return []resourceapi.CounterSet{counterSet("gpu-0", amounts), counterSet("gpu-1", amounts)}
}

// part returns a device of a kind that consumes an amount of one counter of a set.
func part(of, set, counter, amount string) resourceapi.Device {
	return devices(1, attribute("kind", always(of)), consumes(always(set), map[string]string{counter: amount}))[0]
}

// numbered names devices by their order.
func numbered(list ...resourceapi.Device) []resourceapi.Device {
	return changed(list, func(i int, d *resourceapi.Device) { d.Name = fmt.Sprintf("dev-%d", i) })
}

// In each input, a device fails, and a device of the other GPU in the same place of its family does not.
func TestDifferentFamiliesAreNotExchanged(t *testing.T) {
	first, second := ofKind("first"), ofKind("second")
	for name, test := range map[string]rule{
		// The first device has no family, as if it were in the place of others.
		"a device without counters": {func(w *world) {
			list := []resourceapi.Device{devices(1)[0], part("", "gpu-0", memory, "5"), part("", "gpu-1", memory, "5")}
			w.pool("gpu", twoGPUs(memory), numbered(changed(list, attribute("example.com/root", of("a", "b", "c")))...)...)
			w.pool("nic", nil, changed(named("nic"), attribute("example.com/root", of("c")))...)
			constrained(w.claim(exactly("gpu", 1), exactly("nic", 1)), match("example.com/root"))
		}, []string{"dev-2", "nic"}},
		// Only the devices of the second GPU fit at the same time, because they consume different counters.
		"other counters": {func(w *world) {
			w.pool("gpu", twoGPUs(memory, "cores"), numbered(part("first", "gpu-0", memory, "6"), part("second", "gpu-0", memory, "6"),
				part("first", "gpu-1", memory, "6"), part("second", "gpu-1", "cores", "6"))...)
			w.claim(exactly("gpu", 1, first), exactly("gpu", 2, second))
		}, []string{"dev-2", "dev-1", "dev-3"}},
		// The first device of the first GPU is chosen for two claims and consumes twice.
		"a device that is chosen twice": {func(w *world) {
			w.pool("gpu", twoGPUs(memory), numbered(part("first", "gpu-0", memory, "3"), part("second", "gpu-0", memory, "5"),
				part("first", "gpu-1", memory, "3"), part("second", "gpu-1", memory, "5"))...)
			w.claim(exactly("gpu", 2, first, asAdmin))
			w.claim(exactly("gpu", 1, first, asAdmin))
			w.claim(exactly("gpu", 1, second))
		}, []string{"dev-0", "dev-2", "dev-0", "dev-3"}},
		// One slot of the shared device of the second GPU is allocated, so that only that of the first GPU is large enough.
		"a shared device with less capacity": {func(w *world) {
			w.without(func(f *structured.Features) { f.CompatibilityGroups = false })
			list := []resourceapi.Device{part("shared", "gpu-0", memory, "6"), part("shared", "gpu-1", memory, "6"),
				part("first", "gpu-0", memory, "6"), part("first", "gpu-1", memory, "6")}
			list[0].Name, list[1].Name, list[2].Name, list[3].Name = "free", "dev-0", "part-0", "part-1"
			shared("2")(0, &list[0])
			shared("2")(1, &list[1])
			sets := twoGPUs(memory)
			sets[1] = counterSet("gpu-1", map[string]string{memory: "16"})
			w.pool("gpu", sets, list...)
			w.firstShared()
			w.claim(exactly("gpu", 1, first), exactly("gpu", 1, ofKind("shared"), slots("2")))
		}, []string{"part-1", "free"}},
		"a device beyond the first 64 of a GPU": {func(w *world) {
			var list []resourceapi.Device
			for i := range 130 {
				place, amount := "other", "1"
				switch i % 65 {
				case 0:
					place, amount = "first", "6"
				case 64:
					place, amount = "last", "6"
				}
				list = append(list, part(place, fmt.Sprintf("gpu-%d", i/65), memory, amount))
			}
			w.pool("gpu", twoGPUs(memory), numbered(list...)...)
			w.claim(exactly("gpu", 1, ofKind("last")), exactly("gpu", 1, first), exactly("gpu", 1, ofKind("other")))
		}, []string{"dev-64", "dev-65", "dev-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, limits := range []search.Limits{onlySymmetry, {Steps: 10_000, PruneAtOnce: true}, {Steps: 10_000}} {
				g := NewWithT(t)
				w := &world{}
				test.input(w)
				found, _, err := w.run(t, limits)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(found).To(Equal(test.want), "%+v", limits)
			}
		})
	}
}
