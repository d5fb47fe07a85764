// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/internal/search"
)

// deriving makes a request use the attribute "derived" of a GPU as its attribute "root".
func deriving(r *resourceapi.ExactDeviceRequest) { derivingFrom("derived")(r) }

// derivingFrom makes a request use another attribute of a GPU as its attribute "root".
func derivingFrom(name string) func(*resourceapi.ExactDeviceRequest) {
	return func(r *resourceapi.ExactDeviceRequest) {
		r.DerivedAttributes = []resourceapi.DeviceDerivedAttribute{{Name: "gpu/root", Expression: `device.attributes["gpu"].` + name}}
	}
}

func of(values ...string) func(int) string { return func(i int) string { return values[i] } }

// The number of devices with a value must include the values of all requests. Here each request finds each value on
// one device, and their common value is on different devices.
func TestDevicesAreNotCountedByTheValuesOfOneRequestOnly(t *testing.T) {
	list := devices(2, attribute("root", of("b", "a")), attribute("derived", of("a", "b")), attribute("other", of("c", "a")))
	for name, requests := range map[string][]resourceapi.DeviceRequest{
		"the first derives":  {exactly("gpu", 1, deriving), exactly("gpu", 1)},
		"the second derives": {exactly("gpu", 1), exactly("gpu", 1, deriving)},
		"both derive":        {exactly("gpu", 1, deriving), exactly("gpu", 1, derivingFrom("other"))},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := &world{}
			w.pool("gpu", nil, list...)
			constrained(w.claim(requests...), match("gpu/root"))
			found, _, err := w.run(t, search.Limits{Steps: 10_000, PruneAtOnce: true})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found).To(Equal([]string{"dev-0", "dev-1"}))
		})
	}
}

// Devices that are equal for one request may differ for another one: by their derived attribute, or by their own.
func TestDevicesWithDifferentValuesForOneRequestAreNoTwins(t *testing.T) {
	for name, test := range map[string]struct {
		root, derived func(int) string
		requests      []resourceapi.DeviceRequest
	}{
		"derived": {always("b"), of("a", "a", "b"), []resourceapi.DeviceRequest{exactly("gpu", 1), exactly("gpu", 1, deriving)}},
		"own":     {of("b", "b", "a"), always("a"), []resourceapi.DeviceRequest{exactly("gpu", 1, deriving), exactly("gpu", 1)}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := &world{}
			w.pool("gpu", nil, devices(3, attribute("root", test.root), attribute("derived", test.derived))...)
			constrained(w.claim(test.requests...), match("gpu/root"))
			found, _, err := w.run(t, onlySymmetry)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found).To(Equal([]string{"dev-0", "dev-2"}))
		})
	}
}
