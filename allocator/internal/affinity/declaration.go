// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package affinity implements the rules for values on which claims that share a device must agree, as in KEP-5981 in
// its revision 44f990de4. It covers the declaration of a slice, the affinity values of a claim, the locks of devices
// by active claims, and the messages for conflicts.
package affinity

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Annotation is the annotation in which a ResourceSlice declares the sharing affinity of its devices, as long as API
// servers drop the field spec.devices[].sharingAffinity. Its value is a JSON object from device names to
// {"attributeKeys": [...]}.
const Annotation = "draconform.dev/sharing-affinity"

// MaxKeys is the maximum number of keys of a device and of attributes of an entry.
const MaxKeys = 8

// Declarations is the sharing affinity of the devices of one slice.
type Declarations struct {
	// Keys are the keys of each device, in the order of the slice. They are nil for a device without sharing
	// affinity. All claims on the device must have the same values for its keys.
	Keys [][]string
	// Err describes why the declarations cannot be read. No device of the slice can then be used, because its keys
	// are unknown. An API server would reject such a slice.
	Err error
}

// Read returns the declarations of a slice, or nil if it has none. No other function depends on their location.
func Read(slice *resourceapi.ResourceSlice) *Declarations {
	text, ok := slice.Annotations[Annotation]
	if !ok {
		return nil
	}
	declared, err := parse(text)
	if err != nil {
		return &Declarations{Err: fmt.Errorf("annotation %s of slice %s: %w", Annotation, slice.Name, err)}
	}
	keys := make([][]string, len(slice.Spec.Devices))
	for i := range slice.Spec.Devices {
		keys[i] = declared[slice.Spec.Devices[i].Name].AttributeKeys
	}
	return &Declarations{Keys: keys}
}

type declaration struct {
	AttributeKeys []string `json:"attributeKeys"`
}

func parse(text string) (map[string]declaration, error) {
	var declared map[string]declaration
	if err := unmarshal([]byte(text), &declared); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	for _, device := range slices.Sorted(maps.Keys(declared)) {
		if err := checkKeys(declared[device].AttributeKeys); err != nil {
			return nil, fmt.Errorf("device %s: %w", device, err)
		}
	}
	return declared, nil
}

func checkKeys(keys []string) error {
	if len(keys) == 0 {
		return errors.New("attributeKeys is empty")
	}
	if len(keys) > MaxKeys {
		return fmt.Errorf("attributeKeys has %d keys, at most %d are allowed", len(keys), MaxKeys)
	}
	for i, key := range keys {
		domain, name, qualified := strings.Cut(key, "/")
		if !qualified || len(domain) > resourceapi.DeviceMaxDomainLength || len(name) > resourceapi.DeviceMaxIDLength ||
			len(validation.IsDNS1123Subdomain(domain)) > 0 || len(validation.IsCIdentifier(name)) > 0 {
			return fmt.Errorf("key %q is no fully qualified name", key)
		}
		if slices.Contains(keys[:i], key) {
			return fmt.Errorf("key %q is listed twice", key)
		}
	}
	return nil
}
