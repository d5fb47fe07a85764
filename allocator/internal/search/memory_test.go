// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/search"
)

// move assigns all slices to another node, as new objects whose devices have other names.
func (w *world) move(node string) {
	for i, slice := range w.slices {
		slice = slice.DeepCopy()
		slice.Spec.NodeName = ptr.To(node)
		for j := range slice.Spec.Devices {
			slice.Spec.Devices[j].Name += "-" + node
		}
		w.slices[i] = slice
	}
}

func TestEquivalentNodesAreSearchedOnce(t *testing.T) {
	for name, test := range map[string]struct {
		requests func(six, five func() resourceapi.DeviceRequest) []resourceapi.DeviceRequest
		fit      bool
	}{
		"no fit": {func(six, five func() resourceapi.DeviceRequest) []resourceapi.DeviceRequest {
			return append(repeat(9, five), repeat(4, six)...)
		}, false},
		// The partition of 6Gi comes first on each GPU, and choosing it is wrong on all but one GPU.
		"fit": {func(_, _ func() resourceapi.DeviceRequest) []resourceapi.DeviceRequest {
			return repeat(15, func() resourceapi.DeviceRequest { return exactly("gpu", 1) })
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := &world{}
			six, five := packing(w, "gpu", 8)
			w.claim(test.requests(six, five)...)
			p := w.problem(t)
			p.Memory = &search.Memory{}
			limits := search.Limits{Steps: 200_000}
			first, found, stats, err := search.Run(context.Background(), p, limits)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found).To(Equal(test.fit))
			g.Expect(stats.Steps).To(BeNumerically(">", 200), "otherwise the memory is not used")

			w.move("other")
			w.setNode(t, p, "other")
			second, found, again, err := search.Run(context.Background(), p, limits)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found).To(Equal(test.fit))
			g.Expect(again.Steps).To(BeNumerically("<", 300))
			g.Expect(again.Steps).To(BeNumerically("<", stats.Steps))
			if test.fit {
				g.Expect(second.Picks).To(Equal(first.Picks))
				g.Expect(deviceNames(p, second)).To(HaveEach(HaveSuffix("-other")))
			}
		})
	}
}

// A single additional partition must make a node different.
func TestDifferentNodesAreNotEquivalent(t *testing.T) {
	g := NewWithT(t)
	w := &world{}
	six, five := packing(w, "gpu", 8)
	w.claim(append(repeat(9, five), repeat(4, six)...)...)
	p := w.problem(t)
	p.Memory = &search.Memory{}
	_, found, _, err := search.Run(context.Background(), p, search.Limits{Steps: 200_000})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found).To(BeFalse())

	w.move("other")
	for _, slice := range w.slices {
		if len(slice.Spec.SharedCounters) > 0 {
			slice.Spec.SharedCounters[0].Counters = quantities(map[string]string{"memory": "16Gi"})
		}
	}
	w.setNode(t, p, "other")
	_, found, _, err = search.Run(context.Background(), p, search.Limits{Steps: 200_000})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found).To(BeTrue())
}
