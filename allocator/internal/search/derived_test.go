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
func deriving(r *resourceapi.ExactDeviceRequest) {
	r.DerivedAttributes = []resourceapi.DeviceDerivedAttribute{{Name: "gpu/root", Expression: `device.attributes["gpu"].derived`}}
}

func of(values ...string) func(int) string { return func(i int) string { return values[i] } }

// The number of devices with a value must include the values of all requests. Here each request finds both values
// once, and their common value is on different devices.
func TestDevicesAreNotCountedByTheValuesOfOneRequestOnly(t *testing.T) {
	g := NewWithT(t)
	w := &world{}
	w.pool("gpu", nil, devices(2, attribute("root", of("b", "a")), attribute("derived", of("a", "b")))...)
	constrained(w.claim(exactly("gpu", 1, deriving), exactly("gpu", 1)), match("gpu/root"))
	found, _, err := w.run(t, search.Limits{Steps: 10_000, PruneAtOnce: true})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found).To(Equal([]string{"dev-0", "dev-1"}))
}

// Devices that are equal for one request may differ for another request with a derived attribute.
func TestDevicesWithDifferentDerivedValuesAreNoTwins(t *testing.T) {
	g := NewWithT(t)
	w := &world{}
	w.pool("gpu", nil, devices(3, attribute("root", always("b")), attribute("derived", of("a", "a", "b")))...)
	constrained(w.claim(exactly("gpu", 1), exactly("gpu", 1, deriving)), match("gpu/root"))
	found, _, err := w.run(t, search.Limits{Steps: 10_000, PruneAtOnce: true, Skip: search.AllPrunings &^ search.PruneSymmetry})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found).To(Equal([]string{"dev-0", "dev-2"}))
}
