// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package publish_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/publish"
)

func counters(number int) map[string]resourceapi.Counter {
	out := map[string]resourceapi.Counter{}
	for i := range number {
		out[fmt.Sprintf("c-%d", i)] = resourceapi.Counter{Value: *resource.NewQuantity(1000, resource.DecimalSI)}
	}
	return out
}

// made returns an inventory with a number of devices. Each device consumes the
// given number of counters of one counter set.
func made(devices, consumed int) *describe.Inventory {
	out := &describe.Inventory{}
	if consumed > 0 {
		out.CounterSets = []resourceapi.CounterSet{{Name: "set", Counters: counters(consumed)}}
	}
	for i := range devices {
		device := resourceapi.Device{Name: fmt.Sprintf("d-%d", i)}
		if consumed > 0 {
			device.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: "set", Counters: counters(consumed)}}
		}
		out.Devices = append(out.Devices, device)
	}
	return out
}

// bulky returns a device of more than 2^19 bytes.
func bulky(name string) resourceapi.Device {
	return resourceapi.Device{Name: name, NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{strings.Repeat("x", 1<<19)}}},
	}}}}
}

// twoSets returns an inventory with one device that consumes from two counter
// sets.
func twoSets() *describe.Inventory {
	out := made(1, 1)
	out.CounterSets = append(out.CounterSets, resourceapi.CounterSet{Name: "other", Counters: counters(31)})
	out.Devices[0].ConsumesCounters = append(out.Devices[0].ConsumesCounters, resourceapi.DeviceCounterConsumption{CounterSet: "other", Counters: counters(31)})
	return out
}

func TestSlicesAreSplitAtTheirLimits(t *testing.T) {
	text, tainted := made(130, 0), made(66, 0)
	list := []string{"a", "b"}
	tainted.Devices[65].Taints = []resourceapi.DeviceTaint{{Key: "example.com/broken", Effect: resourceapi.DeviceTaintEffectNone}}
	text.Devices[128].Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"list": {StringValues: list}}
	sets := made(0, 0)
	for i := range 9 {
		sets.CounterSets = append(sets.CounterSets, resourceapi.CounterSet{Name: fmt.Sprintf("set-%d", i), Counters: counters(1)})
	}
	for _, test := range []struct {
		name      string
		inventory *describe.Inventory
		// want contains the number of counter sets or devices of each slice.
		want []int
	}{
		{"the maximum of plain devices", made(128, 0), []int{128}},
		{"one plain device too many", made(129, 0), []int{128, 1}},
		{"the maximum of consuming devices", made(64, 1), []int{1, 64}},
		{"one consuming device too many", made(65, 1), []int{1, 64, 1}},
		{"a taint reduces the limit for the devices before it", tainted, []int{65, 1}},
		{"a list reduces it only for its own slice", text, []int{128, 2}},
		{"nine counter sets", sets, []int{8, 1}},
		{"three devices that need one slice each", &describe.Inventory{Devices: []resourceapi.Device{bulky("a"), bulky("b"), bulky("c")}}, []int{1, 1, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(publish.Check(test.inventory, publish.SeparateCounters)).To(Succeed())
			var got []int
			for _, slice := range publish.Slices(test.inventory, publish.SeparateCounters) {
				got = append(got, len(slice.SharedCounters)+len(slice.Devices))
			}
			g.Expect(got).To(Equal(test.want))
		})
	}
}

func TestEveryDeviceIsPublishedInEveryForm(t *testing.T) {
	inventory := made(3, 1)
	inventory.Devices = append(inventory.Devices, resourceapi.Device{Name: "alone"})
	for form, want := range map[publish.Form][]string{
		publish.SeparateCounters:    {"d-0", "d-1", "d-2", "alone"},
		publish.CountersWithDevices: {"d-0", "d-1", "d-2", "alone"},
		publish.NoCounters:          {"d-2", "alone"},
	} {
		var got []string
		for _, slice := range publish.Slices(inventory, form) {
			for _, device := range slice.Devices {
				got = append(got, device.Name)
			}
		}
		NewWithT(t).Expect(got).To(Equal(want), form.String())
	}
}

func TestCheckErrors(t *testing.T) {
	huge := made(1, 0)
	huge.Devices[0] = bulky("d-0")
	huge.Devices[0].NodeSelector.NodeSelectorTerms = append(huge.Devices[0].NodeSelector.NodeSelectorTerms, bulky("").NodeSelector.NodeSelectorTerms...)
	together := made(3, 1)
	for i := range together.Devices {
		together.Devices[i].NodeSelector = bulky("").NodeSelector
	}
	invalid := made(1, 1)
	invalid.CounterSets = nil
	for _, test := range []struct {
		name      string
		inventory *describe.Inventory
		form      publish.Form
		message   string
	}{
		{"an invalid inventory", invalid, publish.SeparateCounters, `device "d-0": consumes from unknown counter set "set"`},
		{"a device that no slice can hold", huge, publish.SeparateCounters, `device "d-0": has 1048`},
		{"two counter sets in 1.34", twoSets(), publish.CountersWithDevices, `device "d-0": consumes from 2 counter sets, Kubernetes 1.34 requires all of them in one ResourceSlice`},
		{"too many devices in 1.34", made(129, 1), publish.CountersWithDevices, `counter set "set": has 129 devices, Kubernetes 1.34 allows at most 128`},
		{"too many bytes in 1.34", together, publish.CountersWithDevices, `counter set "set": has 15`},
		{"too many consumed counters in 1.34", made(65, 16), publish.CountersWithDevices, `counter set "set": has 1040 counters that its devices consume, Kubernetes 1.34 allows at most 1024`},
	} {
		t.Run(test.name, func(t *testing.T) {
			NewWithT(t).Expect(publish.Check(test.inventory, test.form)).To(MatchError(ContainSubstring(test.message)))
		})
	}
}

func TestCheckAcceptsTheLimitsOf134(t *testing.T) {
	g := NewWithT(t)
	g.Expect(publish.Check(made(128, 8), publish.CountersWithDevices)).To(Succeed())
	g.Expect(publish.Check(made(32, 32), publish.CountersWithDevices)).To(Succeed())
	g.Expect(publish.Check(twoSets(), publish.SeparateCounters)).To(Succeed())
}
