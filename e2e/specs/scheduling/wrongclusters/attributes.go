// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"fmt"
	"maps"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongAttributes are clusters whose scheduler makes mistakes with the attributes
// and capacities of devices.
var wrongAttributes = wrong.Table{
	"scheduler finds no attributes without a domain": {
		Options: misreadsNames(func(_ string, name string) bool { return strings.Contains(name, "/") || name == "name" }), Spec: "attribute-domains-are-told-apart",
		Want: []string{"pod without-domain is not scheduled"},
	},
	"scheduler finds no attributes that state the domain of the driver": {
		Options: misreadsNames(func(driver, name string) bool { return !strings.HasPrefix(name, driver+"/") }), Spec: "attribute-domains-are-told-apart",
		Want: []string{"pod own-domain is not scheduled"},
	},
	"scheduler ignores domains of third parties": {
		Options: misreadsAttributes(func(_ string, all map[resourceapi.QualifiedName]resourceapi.DeviceAttribute) {
			for name, value := range maps.Clone(all) {
				if of, ok := strings.CutPrefix(string(name), "other.example.com/"); ok {
					all[resourceapi.QualifiedName(of)] = value
				}
			}
		}),
		Spec: "attribute-domains-are-told-apart", Want: []string{"pod two-domains is not scheduled"},
	},
	"scheduler reads integers as their first digit": {
		Options: misreadsValues(func(a *resourceapi.DeviceAttribute) {
			if a.IntValue != nil && *a.IntValue >= 10 {
				a.IntValue = ptr.To(*a.IntValue / 10)
			}
		}),
		Spec: "attributes-compare-by-type", Want: []string{"pod ten-is-more-than-nine is not scheduled"},
	},
	"scheduler reads any boolean as true": {
		Options: misreadsValues(func(a *resourceapi.DeviceAttribute) {
			if a.BoolValue != nil {
				a.BoolValue = ptr.To(true)
			}
		}),
		Spec: "attributes-compare-by-type", Want: []string{"pod no should be unschedulable, because the attribute is false"},
	},
	"scheduler ignores the case of strings": {
		Options: misreadsValues(func(a *resourceapi.DeviceAttribute) {
			if a.StringValue != nil {
				a.StringValue = ptr.To(strings.ToLower(*a.StringValue))
			}
		}),
		Spec: "attributes-compare-by-type", Want: []string{"pod other-case should be unschedulable"},
	},
	"scheduler reads version numbers as digits": {
		Options: misreadsVersions(func(version string) string { return strings.ReplaceAll(version, "10", "1") }), Spec: "attributes-compare-by-type",
		Want: []string{"pod minor-ten-is-after-nine is not scheduled"},
	},
	"scheduler ignores pre-releases": {
		Options: misreadsVersions(func(version string) string { before, _, _ := strings.Cut(version, "-"); return before }), Spec: "attributes-compare-by-type",
		Want: []string{"pod pre-release-is-earlier is not scheduled"},
	},
	"scheduler takes build metadata for a pre-release": {
		Options: misreadsVersions(func(version string) string { return strings.Replace(version, "+", "-", 1) }), Spec: "attributes-compare-by-type",
		Want: []string{"pod build-metadata-does-not-count is not scheduled"},
	},
	"scheduler reads one part of pre-releases": {
		Options: misreadsVersions(func(version string) string {
			if parts := strings.SplitN(version, ".", 5); len(parts) > 4 {
				return strings.Join(parts[:4], ".")
			}
			return version
		}),
		Spec: "attributes-compare-by-type", Want: []string{"pod pre-release-with-more-parts-is-later is not scheduled"},
	},
	"scheduler takes numbers of pre-releases for words": {
		Options: misreadsVersions(func(version string) string { return strings.Replace(version, "1.0.0-1", "1.0.0-x1", 1) }), Spec: "attributes-compare-by-type",
		Want: []string{"pod number-of-a-pre-release-is-before-words is not scheduled"},
	},
	"scheduler ignores units": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) {
			for name, c := range d.Capacity {
				d.Capacity[name] = resourceapi.DeviceCapacity{Value: resource.MustParse(strings.TrimRight(c.Value.String(), "GMim"))}
			}
		}),
		Spec: "capacities-compare-by-quantity", Want: []string{"pod same-in-other-unit is not scheduled"},
	},
	"scheduler compares values as text": {
		Options: misreadsValues(func(a *resourceapi.DeviceAttribute) {
			*a = resourceapi.DeviceAttribute{StringValue: ptr.To(textOf(a))}
		}),
		Spec: "match-attribute-compares-types", Want: []string{"pod string-and-int should be unschedulable, because one is a string and the other is an integer"},
	},
	"scheduler gives devices without an attribute the zero value": {
		Options: misreadsAttributes(func(_ string, all map[resourceapi.QualifiedName]resourceapi.DeviceAttribute) {
			if _, ok := all["group"]; !ok {
				all["group"] = resourceapi.DeviceAttribute{StringValue: ptr.To("")}
			}
		}),
		Spec: "match-attribute-compares-types", Want: []string{"pod missing-on-both should be unschedulable, because neither device has the attribute"},
	},
	"scheduler compares strings only": {
		Options: misreadsValues(func(a *resourceapi.DeviceAttribute) {
			if a.IntValue != nil {
				a.IntValue = ptr.To[int64](0)
			}
		}),
		Spec: "match-attribute-compares-types", Want: []string{"pod other-int should be unschedulable, because the integers differ"},
	},
	"scheduler passes over devices for which a selector fails": {
		Options: misreadsClaimsAndClasses(func(expression string) string {
			return strings.ReplaceAll(expression, "own.level == 1", "own.?level.orValue(0) == 1")
		}),
		Spec: "unknown-attribute-is-an-error", Want: []string{"should stay pending, because a selector refers to an attribute that a device lacks", "was allocated"},
	},
	"scheduler does not tell errors of selectors": {
		Options: misreadsClaimsAndClasses(func(expression string) string {
			return strings.ReplaceAll(expression, "own.level == 1", "false")
		}),
		Spec: "unknown-attribute-is-an-error", Want: []string{"the status of pod by-request should state that a selector refers to an attribute that a device lacks"},
	},
	"scheduler does not know unknown domains": {
		Options: misreadsClaimsAndClasses(func(expression string) string {
			return strings.ReplaceAll(expression, `!("level" in device.attributes["unknown.example.com"])`, `device.attributes["unknown.example.com"].level == 1`)
		}),
		Spec: "guarded-attribute-is-no-error", Want: []string{"pod domain is not scheduled"},
	},
	"scheduler reads integers as floating-point numbers": {
		Options: wrong.MisreadsDevices(roundIntegers), Spec: "attributes-compare-by-type",
		Want: []string{"pod more-than-53-bits is not scheduled"},
	},
	"scheduler compares 53 bits of integers that must match": {
		Options: wrong.MisreadsDevices(roundIntegers), Spec: "match-attribute-compares-types",
		Want: []string{"pod other-large-int should be unschedulable, because the integers differ in the last of more than 53 bits"},
	},
}

// misreadsNames returns the options of a cluster whose scheduler knows only the
// attributes whose names are kept, given the driver.
func misreadsNames(keep func(driver, name string) bool) fakecluster.Options {
	return misreadsAttributes(func(driver string, all map[resourceapi.QualifiedName]resourceapi.DeviceAttribute) {
		maps.DeleteFunc(all, func(name resourceapi.QualifiedName, _ resourceapi.DeviceAttribute) bool {
			return !keep(driver, string(name))
		})
	})
}

func misreadsAttributes(change func(driver string, all map[resourceapi.QualifiedName]resourceapi.DeviceAttribute)) fakecluster.Options {
	return wrong.Misreads(func(s *fakecluster.Scene) {
		wrong.ForEachDevice(s, func(slice *resourceapi.ResourceSliceSpec, d *resourceapi.Device) { change(slice.Driver, d.Attributes) })
	})
}

func misreadsValues(change func(*resourceapi.DeviceAttribute)) fakecluster.Options {
	return misreadsAttributes(func(_ string, all map[resourceapi.QualifiedName]resourceapi.DeviceAttribute) {
		for name, value := range all {
			if name != "name" {
				change(&value)
				all[name] = value
			}
		}
	})
}

func misreadsVersions(change func(string) string) fakecluster.Options {
	return misreadsValues(func(a *resourceapi.DeviceAttribute) {
		if a.VersionValue != nil {
			a.VersionValue = ptr.To(change(*a.VersionValue))
		}
	})
}

// misreadsClaimsAndClasses returns the options of a cluster whose scheduler
// changes the selectors of requests and classes.
func misreadsClaimsAndClasses(change func(string) string) fakecluster.Options {
	each := func(selectors []resourceapi.DeviceSelector) {
		for i := range selectors {
			selectors[i].CEL = &resourceapi.CELDeviceSelector{Expression: change(selectors[i].CEL.Expression)}
		}
	}
	return wrong.Misreads(func(s *fakecluster.Scene) {
		for _, claim := range s.Claims {
			for _, request := range claim.Spec.Devices.Requests {
				each(request.Exactly.Selectors)
			}
		}
		for _, class := range s.Objects.Classes {
			each(class.Spec.Selectors)
		}
	})
}

// textOf returns the value of an attribute without its type.
func textOf(a *resourceapi.DeviceAttribute) string {
	switch {
	case a.IntValue != nil:
		return fmt.Sprint(*a.IntValue)
	case a.BoolValue != nil:
		return fmt.Sprint(*a.BoolValue)
	case a.VersionValue != nil:
		return *a.VersionValue
	}
	return ptr.Deref(a.StringValue, "")
}

// roundIntegers makes integers floating-point numbers of 64 bits.
func roundIntegers(d *resourceapi.Device) {
	for name, attribute := range d.Attributes {
		if attribute.IntValue != nil {
			d.Attributes[name] = resourceapi.DeviceAttribute{IntValue: ptr.To(int64(float64(*attribute.IntValue)))}
		}
	}
}
