// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/internal/affinity"
	"github.com/draconform/draconform/allocator/internal/search"
)

// Nodes whose devices differ only in the declared keys must not share an answer. Nodes with the same declarations
// must share it.
func TestNodesWithOtherDeclarationsAreNotEquivalent(t *testing.T) {
	for name, test := range map[string]struct {
		declares func(i int) bool
		key      string
		fit      bool
	}{
		"the same":      {func(int) bool { return true }, modelKeys[0], false},
		"another key":   {func(int) bool { return true }, modelKeys[1], true},
		"one declares":  {func(i int) bool { return i == 0 }, modelKeys[0], true},
		"none declares": {func(int) bool { return false }, modelKeys[0], true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w, first := contested(t, func(int) bool { return true }, "a", "b", "c", "d")
			p := first()
			p.Memory = &search.Memory{}
			// Without a search, as with the lock bound, nothing would be stored.
			limits := search.Limits{Steps: 100_000, PruneAtOnce: true, Skip: search.PruneLocks}
			_, found, _, err := search.Run(context.Background(), p, limits)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found).To(BeFalse(), "four values do not fit on three devices")
			w.move("other")
			declared := map[string][]string{}
			for i := range w.slices[0].Spec.Devices {
				if test.declares(i) {
					declared[w.slices[0].Spec.Devices[i].Name] = []string{test.key}
				}
			}
			declare(w.slices[0], declared)
			w.setNode(t, p, "other")
			_, found, _, err = search.Run(context.Background(), p, limits)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found).To(Equal(test.fit))
		})
	}
}

// The values to which devices are locked are part of a situation. The first way to place two values fails. The
// opposite way has the same consumption and succeeds.
func TestSituationsDifferByLocks(t *testing.T) {
	for _, skip := range []search.Pruning{0, search.PruneLocks} {
		g := NewWithT(t)
		m := &sharingModel{devices: []modelDevice{{keys: []int{0}, shared: true, slots: 3}, {keys: []int{0}, shared: true, slots: 3}}}
		for i, states := range []string{"a-", "b-", "b-"} {
			devices := 3
			if i == 2 {
				devices = 1 // Only the first device.
			}
			m.requests = append(m.requests, modelRequest{claim: i, alternatives: []modelAlternative{{count: 1, slots: 1, devices: devices, states: states}}})
		}
		p := m.problem(t)
		answer, found, _, err := search.Run(context.Background(), p, search.Limits{Steps: 100_000, PruneAtOnce: true, Skip: skip})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(found).To(BeTrue())
		g.Expect(deviceNames(p, answer)).To(Equal([]string{"dev-1", "dev-0", "dev-0"}))
	}
}

// The nodes differ only in which device is preferred: one is locked to the requested value, the others declare
// no keys. So their answers differ.
func TestNodesWithOtherPreferredDevicesAreNotEquivalent(t *testing.T) {
	g := NewWithT(t)
	w, problem := contested(t, func(i int) bool { return i == 1 }, "a")
	p := problem()
	p.Memory = &search.Memory{}
	p.Affinity = search.NewAffinity(affinity.NewState([]*resourceapi.ResourceClaim{
		holder(structured.MakeDeviceID("nic", "pool", "dev-1"), nil, "a-"),
		holder(structured.MakeDeviceID("nic", "pool", "dev-2-third"), nil, "a-"),
	}), p.Allocated, true)
	limits := search.Limits{Steps: 100_000, PruneAtOnce: true}
	answer, _, _, err := search.Run(context.Background(), p, limits)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(deviceNames(p, answer)).To(Equal([]string{"dev-1"}))
	w.move("third")
	declare(w.slices[0], map[string][]string{"dev-2-third": modelKeys[:1]})
	w.setNode(t, p, "third")
	answer, _, _, err = search.Run(context.Background(), p, limits)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(deviceNames(p, answer)).To(Equal([]string{"dev-2-third"}))
}
