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

// bare disables all prunings except the memory of failed situations.
var bare = search.Limits{Steps: 10_000, PruneAtOnce: true, Skip: search.AllPrunings &^ search.PruneNogoods}

// With the first GPU, the NIC has no solution because its root differs. With the second GPU it has one. The failure
// with the first GPU must not be reused for the second.
func TestSituationsDifferByTheStateOfConstraints(t *testing.T) {
	for name, test := range map[string]struct {
		constraint string
		want       []string
	}{
		"match":    {"match", []string{"dev-1", "dev-0"}},
		"distinct": {"distinct", []string{"dev-1", "dev-0"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := &world{}
			w.pool("gpu", nil, devices(2, attribute("example.com/root", of("a", "b")))...)
			if test.constraint == "match" {
				w.pool("nic", nil, devices(1, attribute("example.com/root", of("b")))...)
				constrained(w.claim(exactly("gpu", 1), exactly("nic", 1)), match("example.com/root"))
			} else {
				w.pool("nic", nil, devices(1, attribute("example.com/root", of("a")))...)
				constrained(w.claim(exactly("gpu", 1), exactly("nic", 1)), distinct("example.com/root"))
			}
			found, _, err := w.run(t, bare)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found).To(Equal(test.want))
		})
	}
}

// The first choice for a request fails. Another one leads to a situation that differs only in one respect, and to a
// solution.
func TestSituationsDiffer(t *testing.T) {
	for name, test := range map[string]rule{
		"by a device that the claim has for admin access": {func(w *world) {
			w.pool("gpu", nil, devices(2, kind("a", "b"))...)
			w.pool("nic", nil, named("nic")...)
			w.allocated("0", "1")
			w.claim(exactly("nic", 1))
			w.claim(exactly("gpu", 1, asAdmin), exactly("gpu", 1, asAdmin, ofKind("a")))
		}, []string{"nic", "dev-1", "dev-0"}},
		"by the amount that is left of a counter": {func(w *world) {
			w.pool("gpu", memoryOf("10"), changed(parts("6", "4", "6"), kind("a", "a", "b"))...)
			w.claim(exactly("gpu", 1, ofKind("a")), exactly("gpu", 1, ofKind("b")))
		}, []string{"dev-1", "dev-2"}},
		"by the capacity that is left": {func(w *world) {
			w.pool("gpu", nil, devices(1, shared("2"))...)
			w.claim(firstAvailable(exactly("gpu", 1, slots("2")), exactly("gpu", 1, slots("1"))), exactly("gpu", 1, slots("1")))
		}, []string{"dev-0", "dev-0"}},
	} {
		for _, before := range []int{0, 65} {
			t.Run(fmt.Sprintf("%s, behind %d devices", name, before), func(t *testing.T) {
				g := NewWithT(t)
				w := &world{}
				w.behind(before)
				test.input(w)
				found, _, err := w.run(t, bare)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(found).To(Equal(test.want))
			})
		}
	}
}

// Without list attributes, a value of an unknown type is like no other value. So a constraint allows it for one
// device, and a device without the constraint is not like a device with it.
func TestSituationsDifferByAValueOfAnUnknownType(t *testing.T) {
	for name, constraint := range map[string]resourceapi.DeviceConstraint{"match": match("gpu/numa"), "distinct": distinct("gpu/numa")} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := &world{}
			w.without(func(f *structured.Features) { f.ListTypeAttributes = false })
			w.pool("gpu", nil, devices(2, func(_ int, d *resourceapi.Device) {
				d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"numa": {}}
			})...)
			constraint.Requests = []string{"r0/s0", "r1"}
			constrained(w.claim(firstAvailable(exactly(anyClass, 1), exactly(anyClass, 1)), exactly(anyClass, 1)), constraint)
			found, _, err := w.run(t, bare)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found).To(Equal([]string{"dev-0", "dev-1"}))
		})
	}
}
