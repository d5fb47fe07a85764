// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/fakedriver/describe"
)

func load(t *testing.T, name string, count int) *describe.Inventory {
	t.Helper()
	model, err := Load(name)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return model.Inventory("node-1", count)
}

func TestPartitionsMatchTheTableAndTheDiagram(t *testing.T) {
	for name, table := range tables {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			placed := map[string][]int{}
			var order []string
			for _, device := range load(t, name, 1).Devices {
				profile := text(device, AttributeProfile)
				if profile == "" {
					continue
				}
				order = append(order, profile)
				start := int(*device.Attributes[AttributePlacement].IntValue)
				placed[profile] = append(placed[profile], start)
				g.Expect(device.ConsumesCounters).To(HaveLen(1))
				want := table.counters(profile, start)
				g.Expect(values(device.ConsumesCounters[0].Counters)).To(Equal(want), device.Name)
				g.Expect(device.Capacity).To(HaveLen(len(want)), "capacity of %s", device.Name)
			}
			var profiles []string
			for _, row := range table.profiles {
				profiles = append(profiles, row.name)
				g.Expect(placed[row.name]).To(Equal(starts(diagrams[[2]int{row.width, row.instances}])), row.name)
			}
			g.Expect(slices.Compact(order)).To(Equal(profiles), "smallest first")
		})
	}
}

// counters returns the counters that a partition starting at the given memory
// slice consumes.
func (t profileTable) counters(profile string, start int) map[string]string {
	row := t.profiles[slices.IndexFunc(t.profiles, func(r profileRow) bool { return r.name == profile })]
	return t.row(row.counters, start, row.width)
}

func (t profileTable) row(counters []string, start, width int) map[string]string {
	want := map[string]string{}
	for i, column := range t.columns {
		want[column] = counters[i]
	}
	for slice := start; slice < start+width; slice++ {
		want[fmt.Sprintf("memory-slice-%d", slice)] = "1"
	}
	return want
}

func starts(diagram string) []int {
	var out []int
	for start, mark := range diagram {
		if mark == 'P' {
			out = append(out, start)
		}
	}
	return out
}

func values(counters map[string]resourceapi.Counter) map[string]string {
	out := map[string]string{}
	for name, counter := range counters {
		out[name] = counter.Value.String()
	}
	return out
}

func TestCounterSetIsTheWholeGPU(t *testing.T) {
	for name, table := range tables {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			inventory := load(t, name, 2)
			g.Expect(inventory.CounterSets).To(HaveLen(2))
			for i, set := range inventory.CounterSets {
				g.Expect(set.Name).To(Equal(fmt.Sprintf("gpu-%d-counter-set", i)))
				g.Expect(values(set.Counters)).To(Equal(table.row(table.gpu, 0, 8)))
				whole := inventory.Device(fmt.Sprintf("gpu-%d", i))
				g.Expect(whole.ConsumesCounters).To(Equal([]resourceapi.DeviceCounterConsumption{{
					CounterSet: set.Name, Counters: set.Counters,
				}}))
			}
		})
	}
}

// A partition at an X in the diagram lacks a counter when all other placements
// are allocated. Only one partition with media engines fits.
func TestNumberOfInstancesMatchesTheTable(t *testing.T) {
	for name, table := range tables {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			inventory := load(t, name, 1)
			for _, row := range table.profiles {
				var allocated []string
				for _, device := range inventory.Devices {
					if text(device, AttributeProfile) == row.name && overdrawn(t, inventory, append(allocated, device.Name)) == "" {
						allocated = append(allocated, device.Name)
					}
				}
				g.Expect(allocated).To(HaveLen(row.instances), row.name)
			}
		})
	}
}

func TestCombinationsOfPartitions(t *testing.T) {
	for _, test := range []struct {
		name    string
		model   string
		devices []string
		short   string // first counter, by name, that does not suffice
	}{
		{"four and three", "a100-40gb", []string{"4g-20gb-0", "3g-20gb-4"}, ""},
		{"the claim of the KEP", "a100-40gb", []string{"1g-5gb-0", "1g-5gb-1", "2g-10gb-2", "3g-20gb-4"}, ""},
		{"media engines and the other six", "a100-40gb", []string{
			"1g-5gb-me-0", "1g-5gb-1", "1g-5gb-2", "1g-5gb-3", "1g-5gb-4", "1g-5gb-5", "1g-5gb-6",
		}, ""},
		{"media engines twice", "a100-40gb", []string{"1g-5gb-me-0", "1g-5gb-me-1"}, "jpeg-engines"},
		{"four and three on the same memory", "a100-40gb", []string{"4g-20gb-0", "3g-20gb-0"}, "memory-slice-0"},
		{"a full half and one too many", "a100-40gb", []string{"4g-20gb-0", "3g-20gb-4", "1g-5gb-4"}, "copy-engines"},
		{"everything and the smallest", "a100-40gb", []string{"7g-40gb-0", "1g-5gb-3"}, "copy-engines"},
		{"four and three", "a100-80gb", []string{"4g-40gb-0", "3g-40gb-4"}, ""},
		{"four and three", "h100-80gb", []string{"4g-40gb-0", "3g-40gb-4"}, ""},
		{"four and three", "h200-141gb", []string{"4g-71gb-0", "3g-71gb-4"}, ""},
		{"three of two, and one with double memory", "h100-80gb", []string{"2g-20gb-0", "2g-20gb-2", "2g-20gb-4", "1g-20gb-6"}, ""},
		{"three of two, and one with double memory", "h200-141gb", []string{"2g-35gb-0", "2g-35gb-2", "2g-35gb-4", "1g-35gb-6"}, ""},
		{"media engines twice", "h100-80gb", []string{"1g-10gb-me-0", "1g-10gb-me-1"}, "ofa-engines"},
		{"everything and the smallest", "h200-141gb", []string{"7g-141gb-0", "1g-18gb-6"}, "copy-engines"},
	} {
		t.Run(test.model+" "+test.name, func(t *testing.T) {
			var devices []string
			for _, device := range test.devices {
				devices = append(devices, "gpu-0-mig-"+device)
			}
			NewWithT(t).Expect(overdrawn(t, load(t, test.model, 1), devices)).To(Equal(test.short))
		})
	}
}

// overdrawn returns the first counter, by name, that the devices exceed.
func overdrawn(t *testing.T, inventory *describe.Inventory, devices []string) string {
	t.Helper()
	left := map[string]resource.Quantity{}
	for name, counter := range inventory.CounterSets[0].Counters {
		left[name] = counter.Value.DeepCopy()
	}
	for _, name := range devices {
		device := inventory.Device(name)
		NewWithT(t).Expect(device).NotTo(BeNil(), name)
		for counter, consumed := range device.ConsumesCounters[0].Counters {
			value := left[counter]
			value.Sub(consumed.Value)
			left[counter] = value
		}
	}
	var short []string
	for name, value := range left {
		if value.Sign() < 0 {
			short = append(short, name)
		}
	}
	slices.Sort(short)
	return append(short, "")[0]
}
