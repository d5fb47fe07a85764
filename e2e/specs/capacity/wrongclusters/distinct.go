// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"maps"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongDistinct are clusters with faults of the constraints of shared devices.
var wrongDistinct = wrong.Table{
	"scheduler takes zero for no value": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) {
			maps.DeleteFunc(d.Attributes, func(_ resourceapi.QualifiedName, a resourceapi.DeviceAttribute) bool {
				return a.IntValue != nil && *a.IntValue == 0 || a.StringValue != nil && *a.StringValue == ""
			})
		}),
		Spec: "distinct-attribute-compares-types", Want: []string{"is not scheduled"},
	},
	"scheduler takes all numbers for distinct": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) {
			if a, ok := d.Attributes["group"]; ok && a.IntValue != nil {
				d.Attributes["group"] = resourceapi.DeviceAttribute{StringValue: &d.Name}
			}
		}),
		Spec: "distinct-attribute-compares-types", Want: []string{"pod same-int should be unschedulable, because the integers are equal"},
	},
	"scheduler compares values of different types": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) {
			if a, ok := d.Attributes["group"]; ok && a.VersionValue != nil {
				d.Attributes["group"] = resourceapi.DeviceAttribute{StringValue: a.VersionValue}
			}
		}),
		Spec: "distinct-attribute-compares-types", Want: []string{"pod version-and-string is not scheduled"},
	},
	"scheduler compares devices instead of their attributes": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			for i := range c.Constraints {
				*c.Constraints[i].DistinctAttribute = resourceapi.FullyQualifiedName(strings.Replace(string(*c.Constraints[i].DistinctAttribute), "/group", "/name", 1))
			}
		}),
		Spec: "shared-device-distinct-values",
		Want: []string{"pod groups should be unschedulable, because two of the devices have the same group and the other one has none"},
	},
	"scheduler treats missing attributes as different": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) {
			if _, ok := d.Attributes["group"]; !ok {
				d.Attributes["group"] = resourceapi.DeviceAttribute{StringValue: &d.Name}
			}
		}),
		Spec: "shared-device-distinct-values",
		Want: []string{"pod groups should be unschedulable, because two of the devices have the same group and the other one has none"},
	},
	"scheduler ignores distinctAttribute": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) { c.Constraints = nil }),
		Spec:    "shared-device-distinct-attribute",
		Want:    []string{"pod apart should be unschedulable, because its three requests must get three devices, and there are two"},
	},
	"scheduler applies distinctAttribute to all requests": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) { c.Constraints[0].Requests = nil }),
		Spec:    "shared-device-distinct-attribute",
		Want:    []string{"while waiting until pod partly is scheduled", "cannot allocate all claims"},
	},
	"scheduler ignores matchAttribute of shares": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) { c.Constraints = nil }),
		Spec:    "shared-device-match-attribute",
		Want:    []string{"the device that has two slots"},
	},
}
