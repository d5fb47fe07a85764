// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
)

func names(devices []resourceapi.Device) []string {
	var out []string
	for _, device := range devices {
		out = append(out, device.Name)
	}
	return out
}

// The partition "all" is as large as the GPU. Only one of the two may be
// published.
func TestWithoutCountersKeepsWholeDevices(t *testing.T) {
	g := NewWithT(t)
	inventory, err := Compile([]byte(`
devices:
- name: nic
  basic: {}
- name: gpu
  composite: {capacity: {memory: {quantity: 2}, engines: {quantity: 2}}}
- name: all
  composite: {capacity: {memory: {quantity: 2}, engines: {quantity: 2}}, consumesCapacityFrom: [{name: gpu}]}
- name: half
  composite: {capacity: {memory: {quantity: 1}, engines: {quantity: 1}}, consumesCapacityFrom: [{name: gpu}]}
- name: quarter
  composite: {capacity: {memory: {quantity: 1}}, consumesCapacityFrom: [{name: half}]}
`))
	g.Expect(err).NotTo(HaveOccurred())

	reduced := inventory.WithoutCounters()
	g.Expect(reduced.CounterSets).To(BeEmpty())
	g.Expect(names(reduced.Devices)).To(Equal([]string{"nic", "gpu"}))
	g.Expect(reduced.Device("gpu").ConsumesCounters).To(BeNil())
	g.Expect(reduced.Validate()).To(Succeed())
	g.Expect(inventory.Device("gpu").ConsumesCounters).To(HaveLen(1), "the inventory itself was changed")

	clear(inventory.Device("gpu").ConsumesCounters[0].Counters)
	g.Expect(inventory.CounterSets[0].Counters).NotTo(BeEmpty(), "a device and the counter set share a map")
}

// Without the feature, allowMultipleAllocations cannot be published, even if it
// is false.
func TestWithoutSharedKeepsOtherDevices(t *testing.T) {
	g := NewWithT(t)
	inventory, err := Compile([]byte(`
devices:
- name: card
  basic: {allowMultipleAllocations: false, capacity: {ports: {quantity: 2}}}
- name: port
  composite: {allowMultipleAllocations: true, sharingAffinity: {attributeKeys: [d.io/subnet]}, capacity: {ports: {quantity: 1}}, consumesCapacityFrom: [{name: card}]}
- name: nic
  basic: {allowMultipleAllocations: true, capacity: {slots: {value: 4, requestPolicy: {default: 1}}}}
- name: gpu
  basic: {}
`))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(inventory.Shared()).To(Equal([]string{"port", "nic"}))
	g.Expect(inventory.WithoutCounters().Validate()).To(Succeed(), "an affinity of a missing device")

	reduced := inventory.WithoutShared()
	g.Expect(names(reduced.Devices)).To(Equal([]string{"card", "gpu"}))
	g.Expect(reduced.Device("card").AllowMultipleAllocations).To(BeNil())
	g.Expect(reduced.Device("card").ConsumesCounters).To(HaveLen(1))
	g.Expect(reduced.Shared()).To(BeEmpty())
	g.Expect(reduced.Validate()).To(Succeed())
	g.Expect(inventory.Device("card").AllowMultipleAllocations).To(HaveValue(BeFalse()), "the inventory itself was changed")
}

func TestDevice(t *testing.T) {
	g := NewWithT(t)
	inventory := &Inventory{Devices: []resourceapi.Device{{Name: "a"}, {Name: "b"}}}
	g.Expect(inventory.Device("b")).To(BeIdenticalTo(&inventory.Devices[1]))
	g.Expect(inventory.Device("c")).To(BeNil())
}
