// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"testing"

	. "github.com/onsi/gomega"
)

// Specs that run in parallel may change the kinds of devices that a spec does
// not use.
func TestOnlyHasNoOtherKinds(t *testing.T) {
	all := Fakes{MIG: "mig", TPU: "tpu", NIC: "nic"}.Subject()
	kinds := map[Kind]string{KindExclusive: "mig", KindPartition: "mig", KindMultiHost: "tpu", KindShared: "nic"}
	for kind, driver := range kinds {
		t.Run(string(kind), func(t *testing.T) {
			g := NewWithT(t)
			only := all.Only([]Kind{kind})
			g.Expect(only.Drivers()).To(Equal([]string{driver}))
			for other := range kinds {
				missing := only.Missing([]Kind{other}) != ""
				g.Expect(missing).To(Equal(other != kind), string(other))
			}
			g.Expect(only.Seen).NotTo(BeNil(), "containers see devices of all kinds in the same way")
		})
	}
	g := NewWithT(t)
	g.Expect(all.Only(nil).Drivers()).To(BeEmpty())
	g.Expect(all.Only([]Kind{KindShared, KindPartition}).Drivers()).To(Equal([]string{"mig", "nic"}))
}

// A device without a selector is restricted by the value alone. An attribute
// without a domain belongs to the driver's domain.
func TestOfParentWithoutSelector(t *testing.T) {
	g := NewWithT(t)
	device := Device{Driver: "gpu.example.com"}
	g.Expect(Parents{Parent: "uuid"}.OfParent(device, "x").Selector).To(Equal(Selector(`device.attributes["gpu.example.com"].uuid == "x"`)))
	device.Selector = "true"
	g.Expect(Shared{Share: device, Identity: "a.example.com/id"}.Of("y").Selector).To(Equal(Selector(`(true) && device.attributes["a.example.com"].id == "y"`)))
}
