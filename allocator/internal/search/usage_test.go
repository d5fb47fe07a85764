// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/internal/search"
)

func TestUsageOfAllocatedState(t *testing.T) {
	g := NewWithT(t)
	g.Expect(search.UsageOf(structured.AllocatedState{})).To(BeNil())
	var alone, shares, capacity world
	alone.allocated("0")
	shares.firstShared()
	capacity.firstShared()
	shares.state.AggregatedCapacity, capacity.state.AllocatedSharedDeviceIDs = nil, nil
	for _, test := range []struct {
		w                         *world
		alone, shared, inCapacity bool
	}{{&alone, true, false, false}, {&shares, false, true, false}, {&capacity, false, true, true}} {
		usage := search.UsageOf(test.w.state)
		g.Expect(usage).NotTo(BeNil())
		u := usage.Pool(gpu("0")).Device(gpu("0"))
		g.Expect([]bool{u.Alone, u.Shared(), u.Consumed != nil}).To(Equal([]bool{test.alone, test.shared, test.inCapacity}))
		other := usage.Pool(gpu("1")).Device(gpu("1"))
		g.Expect([]bool{other.Alone, other.Shared()}).To(HaveEach(false))
	}
}

// A device may be published without sharing while shares of it are allocated.
func TestLiveShares(t *testing.T) {
	for _, test := range []struct {
		shared, fixed bool
		want          string
	}{{false, false, "dev-0"}, {false, true, "dev-1"}, {true, false, "dev-0"}, {true, true, "dev-0"}} {
		g := NewWithT(t)
		w := &world{}
		list := devices(2)
		if test.shared {
			list = devices(2, shared("2"))
		}
		w.pool("gpu", nil, list...)
		w.firstShared()
		r := exactly("gpu", 1)
		if test.shared {
			slots("1")(r.Exactly)
		}
		w.claim(r)
		p := w.problem(t)
		p.Allocated = search.NewAllocated(search.UsageOf(w.state), allFeatures, search.Fixes{LiveShareBlocksDedicated: test.fixed})
		answer, found, _, err := search.Run(t.Context(), p, search.Limits{Steps: 100})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(found).To(BeTrue())
		g.Expect(deviceNames(p, answer)).To(Equal([]string{test.want}), "%+v", test)
	}
}

// The devices that declare sharing affinity are in the second word of their slice.
func TestSharingAffinityBehindTheFirstWord(t *testing.T) {
	for _, limits := range []search.Limits{{}, {Skip: search.AllPrunings}, {PruneAtOnce: true}} {
		g := NewWithT(t)
		w := &world{}
		w.pool("nic", nil, devices(70, shared("2"), attribute("kind", func(i int) string { return fmt.Sprint(i >= 67) }))...)
		declared := map[string][]string{}
		for i := 66; i < 70; i++ {
			declared[fmt.Sprintf("dev-%d", i)] = modelKeys[:1]
		}
		declare(w.slices[0], declared)
		for _, value := range []string{"a", "b", "a"} {
			w.claim(exactly("nic", 1, slots("1"), selecting(`device.attributes["nic"].kind == "true"`))).Spec.Devices.Config = stated(value + "z")
		}
		p := w.problem(t)
		p.Affinity = search.NewAffinity(nil, p.Allocated, true)
		limits.Steps = 10_000
		answer, found, _, err := search.Run(t.Context(), p, limits)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(found).To(BeTrue())
		g.Expect(deviceNames(p, answer)).To(Equal([]string{"dev-67", "dev-68", "dev-67"}))
	}
}

func TestPacking(t *testing.T) {
	g := NewWithT(t)
	var none *search.Affinity
	g.Expect(none.Packing()).To(BeFalse())
	g.Expect(search.NewAffinity(nil, nil, false).Packing()).To(BeFalse())
	g.Expect(search.NewAffinity(nil, nil, true).Packing()).To(BeTrue())
}
