package search_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/internal/search"
)

// deriving makes a request see the attribute "derived" of a GPU where others see "root".
func deriving(r *resourceapi.ExactDeviceRequest) {
	r.DerivedAttributes = []resourceapi.DeviceDerivedAttribute{{Name: "gpu/root", Expression: `device.attributes["gpu"].derived`}}
}

func of(values ...string) func(int) string { return func(i int) string { return values[i] } }

// A value has as many devices as any of the requests sees, not only the first: here each request sees both values
// once, and they have one in common on different devices.
func TestDevicesAreNotCountedByTheValuesOfOneRequestOnly(t *testing.T) {
	g := NewWithT(t)
	w := &world{}
	w.pool("gpu", nil, devices(2, attribute("root", of("b", "a")), attribute("derived", of("a", "b")))...)
	constrained(w.claim(exactly("gpu", 1, deriving), exactly("gpu", 1)), match("gpu/root"))
	found, _, err := w.run(t, search.Limits{Steps: 10_000, PruneAtOnce: true})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found).To(Equal([]string{"dev-0", "dev-1"}))
}

// Devices that are alike for one request need not be for another, which derives the value.
func TestDevicesWithDifferentDerivedValuesAreNoTwins(t *testing.T) {
	g := NewWithT(t)
	w := &world{}
	w.pool("gpu", nil, devices(3, attribute("root", always("b")), attribute("derived", of("a", "a", "b")))...)
	constrained(w.claim(exactly("gpu", 1), exactly("gpu", 1, deriving)), match("gpu/root"))
	found, _, err := w.run(t, search.Limits{Steps: 10_000, PruneAtOnce: true, Skip: search.AllPrunings &^ search.PruneSymmetry})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found).To(Equal([]string{"dev-0", "dev-2"}))
}
