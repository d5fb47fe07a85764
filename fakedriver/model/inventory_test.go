// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"
)

func TestOrderAndIdentity(t *testing.T) {
	g := NewWithT(t)
	devices := load(t, "a100-40gb", 2).Devices
	g.Expect(devices).To(HaveLen(2 * 26))
	names := make([]string, len(devices))
	uuids := map[string]string{}
	for i, device := range devices {
		names[i] = device.Name
		uuid := text(device, AttributeUUID)
		g.Expect(uuids).NotTo(HaveKey(uuid), "%s has the UUID of %s", device.Name, uuids[uuid])
		uuids[uuid] = device.Name
	}
	g.Expect(names[:2]).To(Equal([]string{"gpu-0-mig-1g-5gb-0", "gpu-0-mig-1g-5gb-1"}))
	g.Expect(names[7]).To(Equal("gpu-1-mig-1g-5gb-0"))
	g.Expect(names[14]).To(Equal("gpu-0-mig-1g-5gb-me-0"))
	g.Expect(names[len(names)-2:]).To(Equal([]string{"gpu-0", "gpu-1"}))

	var profiles []string
	for _, device := range devices {
		profiles = append(profiles, text(device, AttributeProfile))
	}
	g.Expect(slices.Compact(profiles)).To(Equal([]string{
		"1g.5gb", "1g.5gb+me", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb", "",
	}))

	again := load(t, "a100-40gb", 2).Devices
	g.Expect(again).To(Equal(devices), "devices are the same after a restart")
}

func TestPartitionsHaveTheUUIDOfTheirParent(t *testing.T) {
	g := NewWithT(t)
	inventory := load(t, "a100-40gb", 2)
	for index, gpu := range []string{"gpu-0", "gpu-1"} {
		uuid := text(*inventory.Device(gpu), AttributeUUID)
		var children int
		for _, device := range inventory.Devices {
			if text(device, AttributeParentUUID) == uuid {
				g.Expect(*device.Attributes[AttributeIndex].IntValue).To(BeNumerically("==", index))
				g.Expect(device.ConsumesCounters[0].CounterSet).To(Equal(gpu + "-counter-set"))
				children++
			}
		}
		g.Expect(children).To(Equal(26), gpu)
	}
	other, err := Load("a100-40gb")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(text(*other.Inventory("node-2", 1).Device("gpu-0"), AttributeUUID)).
		NotTo(Equal(text(*inventory.Device("gpu-0"), AttributeUUID)), "devices of other nodes have other UUIDs")
}

// Inventories are created from the same description and must not share data
// with it.
func TestInventoriesAreIndependent(t *testing.T) {
	for _, name := range Names() {
		g := NewWithT(t)
		model, err := Load(name)
		g.Expect(err).NotTo(HaveOccurred())
		one, other := model.Inventory("node-1", 1), model.Inventory("node-1", 1)
		for _, set := range one.CounterSets {
			clear(set.Counters)
		}
		clear(one.Affinity)
		clear(one.Devices[0].Attributes)
		clear(one.Devices[0].Capacity)
		for _, consumption := range one.Devices[0].ConsumesCounters {
			clear(consumption.Counters)
		}
		g.Expect(model.Inventory("node-1", 1)).To(Equal(other), name)
	}
}

func TestWithoutCountersKeepsGPUs(t *testing.T) {
	for name := range tables {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			reduced := load(t, name, 2).WithoutCounters()
			g.Expect(reduced.CounterSets).To(BeEmpty())
			g.Expect(reduced.Devices).To(HaveLen(2))
			for _, device := range reduced.Devices {
				g.Expect(text(device, AttributeType)).To(Equal(TypeGPU))
				g.Expect(device.ConsumesCounters).To(BeNil())
			}
		})
	}
}
