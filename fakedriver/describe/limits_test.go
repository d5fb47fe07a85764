// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/affinity"
)

// capacities returns the given number of capacities, each with the given
// amount.
func capacities(number, amount int) string {
	var out []string
	for i := range number {
		out = append(out, fmt.Sprintf("c%d: {quantity: %d}", i, amount))
	}
	return "{" + strings.Join(out, ", ") + "}"
}

func long(length int) string { return strings.Repeat("x", length) }

func TestCompileRejectsExceededLimits(t *testing.T) {
	const part = "- name: part\n  composite:\n    capacity: {c0: {quantity: 1}}\n    consumesCapacityFrom: [{name: %s}]\n"
	for _, test := range []struct{ name, devices, message string }{
		{
			"attributes and capacities",
			"- name: d\n  basic:\n    attributes: {a: {int: 1}}\n    capacity: " + capacities(32, 1),
			`line 2: device "d": has 33 attributes and capacities, at most 32 are allowed`,
		},
		{
			"an attribute's value",
			"- name: d\n  basic:\n    attributes:\n      a: {string: " + long(65) + "}",
			`line 5: device "d": attribute "a": has 65 characters in its value, at most 64 are allowed`,
		},
		{
			"an attribute's version",
			"- name: d\n  basic:\n    attributes:\n      a: {version: 1.2.3-" + long(59) + "}",
			`line 5: device "d": attribute "a": has 65 characters in its value, at most 64 are allowed`,
		},
		{
			"an attribute's name",
			"- name: d\n  basic:\n    attributes:\n      " + long(33) + ": {int: 1}",
			`line 5: device "d": attribute "` + long(33) + `": has 33 characters in its name, at most 32 are allowed`,
		},
		{
			"an attribute's domain",
			"- name: d\n  basic:\n    attributes:\n      " + long(64) + "/a: {int: 1}",
			`has 64 characters in its domain, at most 63 are allowed`,
		},
		{
			"an attribute's invalid domain",
			"- name: d\n  basic:\n    attributes: {_/a: {int: 1}}",
			`attribute "_/a": its domain "_" is not a DNS subdomain`,
		},
		{
			"a capacity's name",
			"- name: d\n  basic:\n    capacity:\n      " + long(33) + ": {quantity: 1}",
			`line 5: device "d": capacity "` + long(33) + `": has 33 characters in its name, at most 32 are allowed`,
		},
		{
			"a device's name",
			"- name: " + long(64) + "\n  basic: {}",
			`line 2: device "` + long(64) + `": has 64 characters in its name, at most 63 are allowed`,
		},
		{
			"a counter set's name",
			"- name: " + long(52) + "\n  basic: {capacity: {c0: {quantity: 1}}}\n" + fmt.Sprintf(part, long(52)),
			`line 2: device "` + long(52) + `": counter set "` + long(52) + `-counter-set": has 64 characters in its name, at most 63 are allowed`,
		},
		{
			"counters of a set, with those of a nested source",
			"- name: gpu\n  basic: {capacity: " + capacities(32, 2) + "}\n" +
				"- name: half\n  composite: {capacity: {c0: {quantity: 1}}, consumesCapacityFrom: [{name: gpu}]}\n" + fmt.Sprintf(part, "half"),
			`line 2: device "gpu": counter set "gpu-counter-set": has 33 counters, at most 32 are allowed`,
		},
		{
			"the name of a nested source's counter",
			"- name: gpu\n  basic: {capacity: {c0: {quantity: 2}}}\n" +
				"- name: " + long(60) + "\n  composite: {capacity: {c0: {quantity: 1}}, consumesCapacityFrom: [{name: gpu}]}\n" + fmt.Sprintf(part, long(60)),
			`counter "` + long(60) + `-c-0": has 64 characters in its name, at most 63 are allowed`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Compile([]byte("devices:\n" + test.devices))
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(test.message)))
		})
	}
}

func TestCompileAcceptsMaximumValues(t *testing.T) {
	_, err := Compile([]byte(`devices:
- name: ` + long(51) + `
  basic: {capacity: ` + capacities(32, 1) + `}
- name: ` + long(63) + `
  composite:
    attributes: {` + long(63) + "/" + long(32) + ": {string: " + long(64) + `}}
    capacity: ` + capacities(31, 1) + `
    consumesCapacityFrom: [{name: ` + long(51) + `}]
`))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
}

// These inventories can be created by code, but not by a description.
func TestValidate(t *testing.T) {
	counters := func(names ...string) map[string]resourceapi.Counter {
		out := map[string]resourceapi.Counter{}
		for _, name := range names {
			out[name] = resourceapi.Counter{Value: *resource.NewQuantity(1, resource.DecimalSI)}
		}
		return out
	}
	for _, test := range []struct {
		name    string
		spoil   func(*Inventory)
		message string
	}{
		{"a device twice", func(i *Inventory) { i.Devices = append(i.Devices, i.Devices[0]) }, `device "d": listed twice`},
		{"a counter set twice", func(i *Inventory) { i.CounterSets = append(i.CounterSets, i.CounterSets[0]) }, `counter set "a": listed twice`},
		{"a counter set without counters", func(i *Inventory) { i.CounterSets[0].Counters = nil }, `counter set "a": has no counters`},
		{"a counter's name", func(i *Inventory) { i.CounterSets[0].Counters = counters("memorySlice0") }, `counter set "a": counter "memorySlice0": its name "memorySlice0" is not a DNS label`},
		{"an unknown counter set", func(i *Inventory) { i.CounterSets = i.CounterSets[1:] }, `device "d": consumes from unknown counter set "a"`},
		{"an unknown counter", func(i *Inventory) { i.CounterSets[0].Counters = counters("y") }, `device "d": consumes unknown counter "x" of counter set "a"`},
		{"a counter set consumed from twice", func(i *Inventory) { i.Devices[0].ConsumesCounters[1].CounterSet = "a" }, `device "d": consumes from counter set "a" twice`},
		{"three counter sets to consume from", func(i *Inventory) {
			i.Devices[0].ConsumesCounters = append(i.Devices[0].ConsumesCounters, resourceapi.DeviceCounterConsumption{})
		}, `device "d": has 3 counter sets to consume from, at most 2 are allowed`},
		{"counters to consume", func(i *Inventory) {
			for n := range 33 {
				i.Devices[0].ConsumesCounters[0].Counters[fmt.Sprintf("c-%d", n)] = resourceapi.Counter{}
			}
		}, `device "d": consumption from counter set "a": has 34 counters, at most 32 are allowed`},
		{"taints", func(i *Inventory) { i.Devices[0].Taints = make([]resourceapi.DeviceTaint, 17) }, `device "d": has 17 taints, at most 16 are allowed`},
		{"binding conditions", func(i *Inventory) { i.Devices[0].BindingConditions = make([]string, 5) }, `device "d": has 5 binding conditions, at most 4 are allowed`},
		{"binding failure conditions", func(i *Inventory) { i.Devices[0].BindingFailureConditions = make([]string, 5) }, `device "d": has 5 binding failure conditions, at most 4 are allowed`},
		{"attribute values", func(i *Inventory) {
			i.Devices[0].Attributes["list"] = resourceapi.DeviceAttribute{IntValues: make([]int64, 48)}
		}, `device "d": has 49 attribute values, at most 48 are allowed`},
		{"a text in a list", func(i *Inventory) {
			i.Devices[0].Attributes["list"] = resourceapi.DeviceAttribute{StringValues: []string{"ok", long(65)}}
		}, `device "d": attribute "list": has 65 characters in its value, at most 64 are allowed`},
		{"an attribute with two values", func(i *Inventory) {
			i.Devices[0].Attributes["one"] = resourceapi.DeviceAttribute{BoolValue: ptr.To(true), VersionValues: []string{"1.0.0"}}
		}, `device "d": attribute "one": has 2 values, exactly 1 must be set`},
		{"an attribute's name", func(i *Inventory) { i.Devices[0].Attributes["1g"] = i.Devices[0].Attributes["one"] }, `device "d": attribute "1g": "1g" is not a C identifier`},
		{"a capacity's name", func(i *Inventory) {
			i.Devices[0].Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"copy-engines": {}}
		}, `device "d": capacity "copy-engines": "copy-engines" is not a C identifier`},
		{"an affinity of a missing device", func(i *Inventory) { i.declare("e", affinity.Declaration{}) }, `device "e": has a sharingAffinity and does not exist`},
		{"an affinity of a device that is not shared", func(i *Inventory) { i.declare("d", affinity.Declaration{}) }, `device "d": has a sharingAffinity, which requires allowMultipleAllocations`},
		{"an affinity without keys", func(i *Inventory) {
			i.Devices[0].AllowMultipleAllocations = ptr.To(true)
			i.declare("d", affinity.Declaration{})
		}, `device "d": sharingAffinity: attributeKeys is empty`},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewWithT(t)
			inventory := &Inventory{
				CounterSets: []resourceapi.CounterSet{{Name: "a", Counters: counters("x")}, {Name: "b", Counters: counters("x")}},
				Devices: []resourceapi.Device{{
					Name:       "d",
					Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"one": {IntValue: ptr.To(int64(1))}},
					ConsumesCounters: []resourceapi.DeviceCounterConsumption{
						{CounterSet: "a", Counters: counters("x")},
						{CounterSet: "b", Counters: counters("x")},
					},
				}},
			}
			g.Expect(inventory.Validate()).To(Succeed())
			test.spoil(inventory)
			g.Expect(inventory.Validate()).To(MatchError(ContainSubstring(test.message)))
		})
	}
}
