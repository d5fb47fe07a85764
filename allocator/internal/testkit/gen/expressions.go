// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
)

// There are few expressions, because each is compiled once per process.

// has returns an expression that never fails and is true for devices whose
// attribute exists and satisfies the condition.
func has(attribute, condition string) string {
	return fmt.Sprintf(`device.driver == "gpu.example.com" && %q in device.attributes["gpu.example.com"] && device.attributes["gpu.example.com"].%s %s`,
		attribute, attribute, condition)
}

var (
	safeSelectors = []string{
		`device.driver == "nic.example.com"`,
		has("model", `== "a"`),
		has("model", `!= "a"`),
		has("ready", `== true`),
		`"numa" in device.attributes["nic.example.com"]`,
		`"bandwidth" in device.capacity["gpu.example.com"] && device.capacity["gpu.example.com"].bandwidth.compareTo(quantity("5")) > 0`,
	}
	sharedSelector = `device.allowMultipleAllocations == true`
	// failingSelectors fail on devices without the attribute, or always.
	failingSelectors = []string{
		`device.attributes["gpu.example.com"].model == "b"`,
		`device.attributes["gpu.example.com"].version.compareTo(semver("1.0.0")) >= 0`,
		`device.nosuchfield == 1`,
	}
	safeDerived = []string{
		`device.driver`,
		`"model" in device.attributes["gpu.example.com"] ? device.attributes["gpu.example.com"].model : "none"`,
	}
	// noDerived evaluates to an empty list, so it has no value.
	noDerived      = `["a"].filter(x, x == device.driver)`
	failingDerived = `device.attributes["gpu.example.com"].model`
)

func (d *draw) selectors() []resourceapi.DeviceSelector {
	var selectors []resourceapi.DeviceSelector
	for range d.number("selectors", 1, 2) {
		expression := pick(d, "selector", safeSelectors...)
		switch {
		case d.topic.failing && d.chance("failing", 40):
			expression = pick(d, "failing selector", failingSelectors...)
		case d.topic.sharing && d.p.Enabled().ConsumableCapacity && d.chance("shared", 20):
			expression = sharedSelector
		}
		selectors = append(selectors, resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: expression}})
	}
	return selectors
}

func (d *draw) derivedAttributes() []resourceapi.DeviceDerivedAttribute {
	name := pick[resourceapi.FullyQualifiedName](d, "derived name", "derived/key", "gpu.example.com/numa")
	expression := pick(d, "derived expression", safeDerived...)
	switch {
	case d.topic.failing && d.chance("failing derived", 40):
		expression = failingDerived
	case d.topic.lists && d.p.Enabled().ListTypeAttributes && d.chance("no derived", 15):
		expression = noDerived
	}
	return []resourceapi.DeviceDerivedAttribute{{Name: name, Expression: expression}}
}
