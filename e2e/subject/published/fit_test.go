// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package published

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/internal/rules"
)

// parentOf returns a parent with four slots, and devices that consume the given
// slots.
func parentOf(consumed ...[]int) *Parent {
	slot := func(i int) string { return fmt.Sprintf("slot-%d", i) }
	one := resourceapi.Counter{Value: resource.MustParse("1")}
	set := resourceapi.CounterSet{Name: "s", Counters: map[string]resourceapi.Counter{}}
	for i := range 4 {
		set.Counters[slot(i)] = one
	}
	p := &Parent{CounterSets: []resourceapi.CounterSet{set}}
	for i, slots := range consumed {
		counters := map[string]resourceapi.Counter{}
		for _, s := range slots {
			counters[slot(s)] = one
		}
		p.Devices = append(p.Devices, &Device{Device: rules.Device{Device: &resourceapi.Device{
			Name: fmt.Sprint(i), ConsumesCounters: []resourceapi.DeviceCounterConsumption{{CounterSet: "s", Counters: counters}},
		}}})
	}
	return p
}

// Partitions at some positions leave room, at others they do not: only what
// holds for all positions is used.
func TestFits(t *testing.T) {
	g := NewWithT(t)
	p := parentOf([]int{0}, []int{1}, []int{2}, []int{3}, []int{0, 1}, []int{2, 3}, []int{1, 2})
	small, big := p.Devices[:4], p.Devices[4:]
	g.Expect(p.Most(small)).To(Equal(4))
	g.Expect(p.Most(big)).To(Equal(2))
	g.Expect(p.Fits(small, big)).To(BeTrue())
	g.Expect(p.Fits(big, big, small)).To(BeFalse())
	g.Expect(p.Fills([][]*Device{big, big}, small)).To(BeTrue(), "0 and 1, 2 and 3")
	g.Expect(p.Fills([][]*Device{big}, big)).To(BeFalse(), "1 and 2 leaves no room, 0 and 1 does")
	g.Expect(p.Fills([][]*Device{big, big, big}, small)).To(BeFalse(), "three do not fit")
}

// Devices of a kind are interchangeable, so that a large kind does not make the
// search long.
func TestPlacementsVisitsCombinationsOnce(t *testing.T) {
	g := NewWithT(t)
	p := parentOf([]int{0}, []int{1}, []int{2}, []int{3})
	n := 0
	g.Expect(p.placements([][]*Device{p.Devices, p.Devices}, func([]*Device) bool { n++; return true })).To(BeTrue())
	g.Expect(n).To(Equal(6), "4 over 2")
}
