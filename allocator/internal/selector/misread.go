// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"maps"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/internal/fault"
)

// misread returns a device as the faults read it.
func misread(driver string, device *resourceapi.Device) *resourceapi.Device {
	device = device.DeepCopy()
	if fault.ReadsShortNamesOnly {
		maps.DeleteFunc(device.Attributes, func(name resourceapi.QualifiedName, _ resourceapi.DeviceAttribute) bool {
			return strings.HasPrefix(string(name), driver+"/")
		})
	}
	for name, attribute := range device.Attributes {
		if fault.IgnoresPreReleases && attribute.VersionValue != nil {
			release, _, _ := strings.Cut(*attribute.VersionValue, "-")
			attribute.VersionValue = &release
			device.Attributes[name] = attribute
		}
	}
	for name, capacity := range device.Capacity {
		if fault.IgnoresUnits {
			capacity.Value = resource.MustParse(strings.TrimRight(capacity.Value.String(), "EGKMPTikm"))
			device.Capacity[name] = capacity
		}
	}
	return device
}
