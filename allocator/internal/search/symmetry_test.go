// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/search"
)

// onlySymmetry disables all other prunings.
var onlySymmetry = search.Limits{Steps: 10_000, PruneAtOnce: true, Skip: search.AllPrunings &^ search.PruneSymmetry}

// GPUs are not equivalent if a shared device consumes the memory of one of them. The shared device is not in any
// family.
func TestSharedDevicesMakeFamiliesDiffer(t *testing.T) {
	g := NewWithT(t)
	w := &world{}
	memory := map[string]string{"memory": "10Gi"}
	list := devices(2, attribute("kind", always("partition")), consumes(func(i int) string { return fmt.Sprintf("gpu-%d", i) }, memory))
	pass := devices(1, shared("5"), attribute("kind", always("shared")), consumes(always("gpu-0"), memory))
	pass[0].Name = "shared"
	w.pool("gpu", []resourceapi.CounterSet{counterSet("gpu-0", memory), counterSet("gpu-1", memory)}, append(list, pass...)...)
	w.claim(exactly("gpu", 1, selecting(`device.attributes["gpu"].kind == "shared"`)), exactly("gpu", 1, selecting(`device.attributes["gpu"].kind == "partition"`)))
	found, _, err := w.run(t, search.Limits{Steps: 10_000, PruneAtOnce: true, Skip: search.PruneCounters})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found).To(Equal([]string{"shared", "dev-1"}))
}

// Without list attributes, the first of several devices may have a value that is not distinct from any other. It
// must not be exchanged with a later device.
func TestDevicesAreNotExchangedWhereTheOrderMatters(t *testing.T) {
	g := NewWithT(t)
	w := &world{features: ptr.To(allFeatures)}
	w.features.ListTypeAttributes = false
	numa := func(value *int64) func(int, *resourceapi.Device) {
		return func(_ int, d *resourceapi.Device) {
			d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"numa": {IntValue: value}}
		}
	}
	var list []resourceapi.Device
	for i, value := range []*int64{nil, ptr.To[int64](2), nil, ptr.To[int64](0)} {
		d := devices(1, numa(value))[0]
		d.Name = fmt.Sprintf("dev-%d", i)
		list = append(list, d)
	}
	w.pool("gpu", nil, list...)
	class := resourceapi.DeviceRequest{Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: anyClass, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1}}
	w.claim(class)
	three := *class.Exactly
	three.Count = 3
	constrained(w.claim(resourceapi.DeviceRequest{Exactly: &three}), distinct("gpu/numa"))
	found, _, err := w.run(t, search.Limits{Steps: 10_000, PruneAtOnce: true})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found).To(Equal([]string{"dev-2", "dev-0", "dev-1", "dev-3"}))
}
