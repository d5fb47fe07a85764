// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package published

import (
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/draconform/draconform/internal/rules"
)

// Attribute returns a string attribute of a device by its qualified name. A
// name without a domain is equal to one with the driver's domain.
func (d *Device) Attribute(name string) (string, bool) {
	attribute, found := rules.Lookup(d.Attributes, d.Driver, name)
	if !found || attribute.StringValue == nil {
		return "", false
	}
	return *attribute.StringValue, true
}

// Qualified returns the name of an attribute or a capacity with its domain.
func (d *Driver) Qualified(name resourceapi.QualifiedName) string {
	if strings.Contains(string(name), "/") {
		return string(name)
	}
	return d.Name + "/" + string(name)
}

// StringAttributes returns the qualified names of the string attributes that
// all of the devices have, sorted.
func (d *Driver) StringAttributes(devices []*Device) []string {
	count := map[string]int{}
	for _, device := range devices {
		own := sets.New[string]()
		for name, value := range device.Attributes {
			if value.StringValue != nil {
				own.Insert(d.Qualified(name))
			}
		}
		for name := range own {
			count[name]++
		}
	}
	maps.DeleteFunc(count, func(_ string, n int) bool { return n < len(devices) })
	return slices.Sorted(maps.Keys(count))
}

// Duplicate returns two of the devices that have the same value of a string
// attribute, or nil if the value is unique. Devices without the attribute do
// not count.
func Duplicate(devices []*Device, attribute string) (first, second *Device) {
	seen := map[string]*Device{}
	for _, d := range devices {
		value, found := d.Attribute(attribute)
		if !found {
			continue
		}
		if other := seen[value]; other != nil {
			return other, d
		}
		seen[value] = d
	}
	return nil, nil
}
