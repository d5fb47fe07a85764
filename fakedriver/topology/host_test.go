// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package topology_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/fakedriver/topology"
)

func devicesOf(host *topology.Host) []string {
	var names []string
	for _, device := range host.Inventory.Devices {
		names = append(names, device.Name)
	}
	return names
}

func TestHostOf4x4(t *testing.T) {
	g := NewWithT(t)
	// Host 1 is the upper right quarter.
	host := load(t, "4x4").Host(1)
	g.Expect(devicesOf(host)).To(Equal([]string{"tpu-2x2-0-2", "tpu-2x4-0-0", "tpu-4x4-0-0"}))
	chips := []string{"0,2", "0,3", "1,2", "1,3"}
	g.Expect(host.Parts).To(Equal(map[string]topology.Part{
		"tpu-2x2-0-2": {Shape: "2x2", Hosts: []int{1}, Chips: chips},
		"tpu-2x4-0-0": {Shape: "2x4", Hosts: []int{0, 1}, Chips: chips},
		"tpu-4x4-0-0": {Shape: "4x4", Hosts: []int{0, 1, 2, 3}, Chips: chips},
	}))
	g.Expect(host.Elsewhere).To(Equal(map[string][]int{
		"tpu-2x2-0-0": {0}, "tpu-2x2-2-0": {2}, "tpu-2x2-2-2": {3}, "tpu-2x4-2-0": {2, 3},
	}))
	published := pool(load(t, "4x4"))
	for _, device := range host.Inventory.Devices {
		i := slices.IndexFunc(published.Devices, func(d resourceapi.Device) bool { return d.Name == device.Name })
		g.Expect(device.Attributes).To(Equal(published.Devices[i].Attributes), "the attributes in containers are the published ones")
	}
}

// The parts on all hosts together contain each chip of a device exactly once,
// and every host is listed.
func TestPartsCoverTheDevice(t *testing.T) {
	for _, described := range everyTopology(t) {
		t.Run(described.Name(), func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			chips, hosts := map[string][]string{}, map[string][]int{}
			for number := range described.Hosts() {
				host := described.Host(number)
				g.Expect(len(host.Parts) + len(host.Elsewhere)).To(Equal(len(described.Devices())))
				for device, part := range host.Parts {
					g.Expect(part.Chips).NotTo(BeEmpty())
					g.Expect(slices.Contains(part.Hosts, number)).To(BeTrue())
					g.Expect(slices.IsSorted(part.Hosts)).To(BeTrue())
					chips[device] = append(chips[device], part.Chips...)
					hosts[device] = append(hosts[device], number)
				}
				for device, spanned := range host.Elsewhere {
					g.Expect(spanned).NotTo(ContainElement(number), device)
				}
			}
			for _, device := range pool(described).Devices {
				var want []string
				for chip := range chipsOf(t, device) {
					want = append(want, strings.ReplaceAll(strings.TrimPrefix(chip, "/"), "/", ","))
				}
				g.Expect(chips[device.Name]).To(ConsistOf(want), device.Name)
				g.Expect(described.Host(hosts[device.Name][0]).Parts[device.Name].Hosts).To(Equal(hosts[device.Name]), device.Name)
			}
		})
	}
}

// On each host, two devices exclude each other if and only if they share chips,
// on this or another host.
func TestDevicesOfAHostExcludeEachOther(t *testing.T) {
	for _, described := range everyTopology(t) {
		t.Run(described.Name(), func(t *testing.T) {
			t.Parallel()
			for number := range min(len(described.Hosts()), 8) {
				g := NewWithT(t)
				host := described.Host(number)
				counters := &topology.Pool{CounterSets: host.Inventory.CounterSets}
				chips := map[string]map[string]bool{}
				for _, device := range host.Inventory.Devices {
					chips[device.Name] = chipsOf(t, device)
				}
				for i, a := range host.Inventory.Devices {
					g.Expect(overdrawn(counters, a)).To(BeFalse(), "%s alone", a.Name)
					for _, b := range host.Inventory.Devices[:i] {
						g.Expect(overdrawn(counters, a, b)).To(Equal(share(chips[a.Name], chips[b.Name])), "%s and %s on host %d", a.Name, b.Name, number)
					}
				}
			}
		})
	}
}

func TestDevicesInTheOrderOfThePool(t *testing.T) {
	g := NewWithT(t)
	var names []string
	for _, device := range pool(load(t, "8x8")).Devices {
		names = append(names, device.Name)
	}
	g.Expect(load(t, "8x8").Devices()).To(Equal(names))
}

func TestResolve(t *testing.T) {
	g := NewWithT(t)
	for _, text := range []string{"4x4", "{name: mine, grid: 2x2, hosts: {chips: 2x2, label: host}, slices: [{shape: 2x2}]}"} {
		resolved, err := topology.Resolve(text)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resolved.Name()).To(BeElementOf("4x4", "mine"))
	}
	for text, message := range map[string]string{
		"9x9":          `unknown topology "9x9", use one of 4x4, 8x8`,
		"name: mine\n": "described topology: grid is missing",
		"":             "described topology: decode",
	} {
		_, err := topology.Resolve(text)
		g.Expect(err).To(MatchError(ContainSubstring(message)), fmt.Sprintf("%q", text))
	}
}
