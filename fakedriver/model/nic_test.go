// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/fakedriver/affinity"
)

const (
	nic         = "nic"
	nicAffinity = "nic-affinity"
)

func TestNICsMatchTheKEP(t *testing.T) {
	g := NewWithT(t)
	inventory := load(t, nic, 2)
	g.Expect(inventory.CounterSets).To(BeEmpty())
	g.Expect(inventory.Shared()).To(Equal([]string{"nic-0", "nic-1"}))
	g.Expect(inventory.Affinity).To(BeEmpty())
	for _, device := range inventory.Devices {
		g.Expect(device.Capacity).To(HaveLen(2))
		slots, bandwidth := device.Capacity["slots"], device.Capacity["bandwidth"]
		g.Expect(slots.Value.String()).To(Equal("16"))
		g.Expect(slots.RequestPolicy.Default.String()).To(Equal("1"), "without a default, a claim that requests no slots consumes all of them (KEP-5075)")
		g.Expect(slots.RequestPolicy.ValidRange.Max).To(BeNil(), "a claim may consume the whole card")
		g.Expect(bandwidth.Value.String()).To(Equal("400G"))

		// Sixteen claims without capacity requests fit. Four claims exhaust the
		// bandwidth before the slots.
		all := resource.MustParse("0")
		for range 16 {
			all.Add(*bandwidth.RequestPolicy.Default)
		}
		g.Expect(all.Cmp(bandwidth.Value)).To(BeNumerically("<=", 0))
		most := bandwidth.RequestPolicy.ValidRange.Max
		g.Expect(most.Value() * 4).To(Equal(bandwidth.Value.Value()))
	}
}

func TestNICsWithAffinityAreOtherwiseTheSame(t *testing.T) {
	g := NewWithT(t)
	demanding := load(t, nicAffinity, 2)
	keys := affinity.Declaration{AttributeKeys: []string{"nic.draconform.dev/subnet", "nic.draconform.dev/pkey"}}
	g.Expect(demanding.Affinity).To(Equal(map[string]affinity.Declaration{"nic-0": keys, "nic-1": keys}))
	g.Expect(demanding.Devices).To(Equal(load(t, nic, 2).Devices))
}

func TestNICsHaveLocations(t *testing.T) {
	g := NewWithT(t)
	type place struct {
		index, numa             int64
		interfaceName, pcieRoot string
	}
	var places []place
	uuids := map[string]bool{}
	for _, device := range load(t, nic, 3).Devices {
		places = append(places, place{
			index:         *device.Attributes["index"].IntValue,
			numa:          *device.Attributes["resource.kubernetes.io/numaNode"].IntValue,
			interfaceName: text(device, "name"),
			pcieRoot:      text(device, "resource.kubernetes.io/pcieRoot"),
		})
		g.Expect(text(device, AttributeType)).To(Equal(TypeNIC))
		uuids[text(device, AttributeUUID)] = true
		g.Expect(text(device, AttributeUUID)).To(MatchRegexp("^NIC-[0-9a-f-]{36}$"))
	}
	g.Expect(places).To(Equal([]place{
		{0, 0, "eth1", "pci0000:00"},
		{1, 1, "eth2", "pci0001:00"},
		{2, 0, "eth3", "pci0002:00"},
	}))
	g.Expect(uuids).To(HaveLen(3))
}
