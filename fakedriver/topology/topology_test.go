// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package topology_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/fakedriver/topology"
)

func load(t *testing.T, name string) *topology.Topology {
	t.Helper()
	loaded, err := topology.Load(name)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return loaded
}

func parse(t *testing.T, description string) *topology.Topology {
	t.Helper()
	parsed, err := topology.Parse([]byte(description))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return parsed
}

func text(device resourceapi.Device, name resourceapi.QualifiedName) string {
	if value := device.Attributes[name].StringValue; value != nil {
		return *value
	}
	return ""
}

func numbers(t *testing.T, list, separator string) []int {
	t.Helper()
	var out []int
	for word := range strings.SplitSeq(list, separator) {
		number, err := strconv.Atoi(word)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		out = append(out, number)
	}
	return out
}

// chipsOf computes the chips of a device from its attributes.
func chipsOf(t *testing.T, device resourceapi.Device) map[string]bool {
	t.Helper()
	shape := numbers(t, text(device, topology.AttributeShape), "x")
	chips := []string{""}
	for dimension, start := range numbers(t, text(device, topology.AttributeOrigin), ",") {
		var longer []string
		for _, prefix := range chips {
			for offset := range shape[dimension] {
				longer = append(longer, fmt.Sprintf("%s/%d", prefix, start+offset))
			}
		}
		chips = longer
	}
	set := map[string]bool{}
	for _, chip := range chips {
		set[chip] = true
	}
	return set
}

// halves computes the slices of the KEP. It divides a rectangle of hosts into
// halves along its longer side, or by rows for a square, and repeats this for
// both halves.
func halves(hosts [][]int, out map[string][]string) {
	rows, columns := len(hosts), len(hosts[0])
	shape := fmt.Sprintf("%dx%d", 2*rows, 2*columns)
	out[shape] = append(out[shape], fmt.Sprint(slices.Concat(hosts...)))
	switch {
	case rows == 1 && columns == 1:
	case columns > rows:
		var left, right [][]int
		for _, row := range hosts {
			left, right = append(left, row[:columns/2]), append(right, row[columns/2:])
		}
		halves(left, out)
		halves(right, out)
	default:
		halves(hosts[:rows/2], out)
		halves(hosts[rows/2:], out)
	}
}

func TestSlicesMatchTheKEP(t *testing.T) {
	for _, test := range []struct {
		name   string
		hosts  [][]int
		counts map[string]int
	}{
		{"4x4", [][]int{{0, 1}, {2, 3}}, map[string]int{"2x2": 4, "2x4": 2, "4x4": 1}},
		{"8x8", [][]int{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}},
			map[string]int{"2x2": 16, "2x4": 8, "4x4": 4, "4x8": 2, "8x8": 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewWithT(t)
			want := map[string][]string{}
			halves(test.hosts, want)
			got := map[string][]string{}
			counts := map[string]int{}
			for _, device := range pool(load(t, test.name)).Devices {
				shape := text(device, topology.AttributeShape)
				got[shape] = append(got[shape], fmt.Sprint(hostsOf(t, device)))
				counts[shape]++
			}
			g.Expect(counts).To(Equal(test.counts))
			for shape, hosts := range want {
				g.Expect(got[shape]).To(ConsistOf(hosts), shape)
			}
		})
	}
}

// hostsOf returns the hosts in the device's node selector.
func hostsOf(t *testing.T, device resourceapi.Device) []int {
	t.Helper()
	var hosts []int
	for _, value := range device.NodeSelector.NodeSelectorTerms[0].MatchExpressions[0].Values {
		hosts = append(hosts, numbers(t, value, ",")...)
	}
	return hosts
}

func pool(of *topology.Topology) *topology.Pool { return of.Pool(of.Nodes()) }

// KEP-4815 lists these four allocations as good. It counts nodes from 1.
func TestSlicesOf4x4MatchTheKEP(t *testing.T) {
	g := NewWithT(t)
	var got [][]int
	for _, device := range pool(load(t, "8x8")).Devices {
		if text(device, topology.AttributeShape) != "4x4" {
			continue
		}
		var nodes []int
		for _, host := range hostsOf(t, device) {
			nodes = append(nodes, host+1)
		}
		got = append(got, nodes)
	}
	g.Expect(got).To(ConsistOf([]int{1, 2, 5, 6}, []int{3, 4, 7, 8}, []int{9, 10, 13, 14}, []int{11, 12, 15, 16}))
}

func TestSmallestFirst(t *testing.T) {
	for _, name := range topology.Names() {
		g := NewWithT(t)
		var sizes []int
		for _, device := range pool(load(t, name)).Devices {
			sizes = append(sizes, len(chipsOf(t, device)))
		}
		g.Expect(slices.IsSorted(sizes)).To(BeTrue(), "%s: %v", name, sizes)
	}
}

func TestDeviceAttributes(t *testing.T) {
	for _, name := range topology.Names() {
		for _, device := range pool(load(t, name)).Devices {
			g := NewWithT(t)
			chips := len(chipsOf(t, device))
			tpus := device.Capacity[topology.CapacityTPUs].Value
			g.Expect(tpus.Value()).To(BeNumerically("==", chips), device.Name)
			g.Expect(device.Attributes[topology.AttributeChips].IntValue).To(HaveValue(BeNumerically("==", chips)), device.Name)
			g.Expect(device.Attributes[topology.AttributeHosts].IntValue).To(HaveValue(BeNumerically("==", len(hostsOf(t, device)))), device.Name)
			g.Expect(text(device, topology.AttributeTopology)).To(Equal(name))
		}
	}
}

func TestStepAndOrigins(t *testing.T) {
	for _, test := range []struct {
		name, slices string
		origins      []string
	}{
		{"multiples of the size", "[{shape: 2x4}]", []string{"0,0", "0,4", "2,0", "2,4"}},
		{"shapes that do not fit are omitted", "[{shape: 3x3}]", []string{"0,0", "0,3"}},
		{"multiples of a step", "[{shape: 4x4, step: 4x2}]", []string{"0,0", "0,2", "0,4"}},
		{"explicit origins", "[{shape: 2x2, origins: [[2, 6], [1, 1]]}]", []string{"2,6", "1,1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			described := parse(t, "{name: test, grid: 4x8, hosts: {chips: 2x2, label: host}, slices: "+test.slices+"}")
			var origins []string
			for _, device := range pool(described).Devices {
				origins = append(origins, text(device, topology.AttributeOrigin))
			}
			NewWithT(t).Expect(origins).To(Equal(test.origins))
		})
	}
}

func TestHostsAreNumberedRowByRow(t *testing.T) {
	g := NewWithT(t)
	described := parse(t, "{name: test, grid: 2x2x4, hosts: {chips: 2x1x2, label: host, prefix: rack-7-}, slices: [{shape: 2x2x4}, {shape: 2x1x2}]}")
	g.Expect(described.Hosts()).To(Equal([]string{"rack-7-0", "rack-7-1", "rack-7-2", "rack-7-3"}))
	owners := map[string][]string{}
	for _, device := range pool(described).Devices {
		owners[text(device, topology.AttributeOrigin)] = append(owners[text(device, topology.AttributeOrigin)],
			device.NodeSelector.NodeSelectorTerms[0].MatchExpressions[0].Values...)
	}
	g.Expect(owners).To(Equal(map[string][]string{
		"0,0,0": {"rack-7-0", "rack-7-0", "rack-7-1", "rack-7-2", "rack-7-3"},
		"0,0,2": {"rack-7-1"},
		"0,1,0": {"rack-7-2"},
		"0,1,2": {"rack-7-3"},
	}))
}

func TestCompilationIsDeterministic(t *testing.T) {
	g := NewWithT(t)
	g.Expect(pool(load(t, "8x8"))).To(Equal(pool(load(t, "8x8"))), "devices are the same after a restart")
}
