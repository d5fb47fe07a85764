// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// MaxPolicyValues is the limit that the API documents for
// CapacityRequestPolicy.validValues. Unlike other limits, it has no constant in
// k8s.io/api.
const MaxPolicyValues = 10

// AtMost returns an error if a number exceeds a limit. The last argument is
// what is counted.
func AtMost(number, limit int, of string) error {
	if number > limit {
		return fmt.Errorf("has %d %s, at most %d are allowed", number, of, limit)
	}
	return nil
}

// MaxDevices returns the number of devices that a slice with these devices may
// have, and whether some of them have features that reduce it (API
// ResourceSliceSpec.devices).
func MaxDevices(devices []resourceapi.Device) (limit int, reduced bool) {
	if slices.ContainsFunc(devices, IsAdvanced) {
		return resourceapi.ResourceSliceMaxDevicesWithAdvancedFeatures, true
	}
	return resourceapi.ResourceSliceMaxDevices, false
}

// IsAdvanced reports whether a device has features that reduce the number of
// devices in its slice (API ResourceSliceSpec.devices).
func IsAdvanced(device resourceapi.Device) bool {
	for _, attribute := range device.Attributes {
		if IsList(attribute) {
			return true
		}
	}
	return len(device.Taints) > 0 || len(device.ConsumesCounters) > 0
}

// IsList reports whether an attribute is a list (KEP-5491).
func IsList(a resourceapi.DeviceAttribute) bool {
	return a.IntValues != nil || a.BoolValues != nil || a.StringValues != nil || a.VersionValues != nil
}

// CountValues returns the number of values in the attributes of a device, which
// the API limits to ResourceSliceMaxAttributeValuesPerDevice (API
// Device.attributes). An attribute counts as at least one.
func CountValues(attributes map[resourceapi.QualifiedName]resourceapi.DeviceAttribute) int {
	values := 0
	for _, a := range attributes {
		values += max(1, len(a.IntValues)+len(a.BoolValues)+len(a.StringValues)+len(a.VersionValues))
	}
	return values
}

// CheckAttribute returns an error unless one field of the attribute is set (API
// DeviceAttribute).
func CheckAttribute(a resourceapi.DeviceAttribute) error {
	set := 0
	for _, isSet := range []bool{
		a.IntValue != nil, a.BoolValue != nil, a.StringValue != nil, a.VersionValue != nil,
		a.IntValues != nil, a.BoolValues != nil, a.StringValues != nil, a.VersionValues != nil,
	} {
		if isSet {
			set++
		}
	}
	if set != 1 {
		return fmt.Errorf("has %d values, exactly 1 must be set", set)
	}
	return nil
}

// StringsOf returns the strings and the versions in an attribute. The API
// limits their length to DeviceAttributeMaxValueLength.
func StringsOf(a resourceapi.DeviceAttribute) (texts, versions []string) {
	texts, versions = slices.Clone(a.StringValues), slices.Clone(a.VersionValues)
	if a.StringValue != nil {
		texts = append(texts, *a.StringValue)
	}
	if a.VersionValue != nil {
		versions = append(versions, *a.VersionValue)
	}
	return texts, versions
}

// CheckQualifiedName checks the name of an attribute or a capacity: a C
// identifier with an optional domain before a slash (API QualifiedName).
func CheckQualifiedName(name string) error {
	domain, id, qualified := strings.Cut(name, "/")
	if !qualified {
		id = name
	} else if err := checkDomain(domain); err != nil {
		return err
	}
	if len(validation.IsCIdentifier(id)) > 0 {
		return fmt.Errorf("%q is not a C identifier", id)
	}
	return AtMost(len(id), resourceapi.DeviceMaxIDLength, "characters in its name")
}

func checkDomain(domain string) error {
	if err := AtMost(len(domain), resourceapi.DeviceMaxDomainLength, "characters in its domain"); err != nil {
		return err
	}
	if len(validation.IsDNS1123Subdomain(domain)) > 0 {
		return fmt.Errorf("its domain %q is not a DNS subdomain", domain)
	}
	return nil
}
