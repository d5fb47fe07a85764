// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/json"
)

// AffinityAnnotation is the annotation of a ResourceSlice with the sharing
// affinity of its devices: a JSON object that maps device names to
// AffinityDeclarations. It replaces the field spec.devices[].sharingAffinity of
// KEP-5981, revision 44f990de4, which API servers drop.
const AffinityAnnotation = "draconform.dev/sharing-affinity"

// MaxAffinityKeys is the maximum number of keys of a device and of attributes
// of an entry (KEP-5981).
const MaxAffinityKeys = 8

// AffinityDeclaration is the sharing affinity of a device.
type AffinityDeclaration struct {
	// AttributeKeys are fully qualified names, at least one and at most
	// MaxAffinityKeys. All claims that share the device must state the same
	// string for each of them.
	AttributeKeys []string `json:"attributeKeys"`
}

// SharingAffinity returns the declarations of a slice by device name. It
// returns none for a slice without the annotation. An error means that no
// device of the slice can be allocated, because the keys are unknown.
func SharingAffinity(slice *resourceapi.ResourceSlice) (map[string]AffinityDeclaration, error) {
	value, found := slice.Annotations[AffinityAnnotation]
	if !found {
		return nil, nil
	}
	return ParseAffinity(value)
}

// ParseAffinity returns the declarations in the value of the annotation by
// device name. It returns an error if one of them is invalid.
func ParseAffinity(value string) (map[string]AffinityDeclaration, error) {
	declared, err := DecodeAffinity(value)
	if err != nil {
		return nil, fmt.Errorf("decode annotation %s: %w", AffinityAnnotation, err)
	}
	for _, device := range slices.Sorted(maps.Keys(declared)) {
		if err := declared[device].Validate(); err != nil {
			return nil, fmt.Errorf("annotation %s, device %s: %w", AffinityAnnotation, device, err)
		}
	}
	return declared, nil
}

// DecodeAffinity decodes the value of the annotation without validating it.
func DecodeAffinity(value string) (declared map[string]AffinityDeclaration, err error) {
	err = unmarshal([]byte(value), &declared)
	return declared, err
}

// Validate returns an error if the declaration is invalid.
func (d AffinityDeclaration) Validate() error {
	if len(d.AttributeKeys) == 0 {
		return errors.New("attributeKeys is empty")
	}
	if len(d.AttributeKeys) > MaxAffinityKeys {
		return fmt.Errorf("attributeKeys %w", AtMost(len(d.AttributeKeys), MaxAffinityKeys, "keys"))
	}
	for i, key := range d.AttributeKeys {
		domain, name, qualified := strings.Cut(key, "/")
		if !qualified || len(validation.IsDNS1123Subdomain(domain)) > 0 || len(validation.IsCIdentifier(name)) > 0 {
			return fmt.Errorf("key %q is no fully qualified name", key)
		}
		if err := CheckQualifiedName(key); err != nil {
			return fmt.Errorf("key %q %w", key, err)
		}
		if slices.Contains(d.AttributeKeys[:i], key) {
			return fmt.Errorf("key %q is listed twice", key)
		}
	}
	return nil
}

// Agree returns an error if claims with these statements must not hold the
// device together: each must state a string for each key, and all the same. One
// holder whose values are unknown excludes all others. Admin access holds
// nothing and states nothing.
//
// The rule also applies to the only holder of a device, and to a device without
// allowMultipleAllocations. The KEP does not specify the latter.
func (d AffinityDeclaration) Agree(holders []Statement) error {
	for _, key := range d.AttributeKeys {
		values := sets.New[string]()
		for _, s := range holders {
			value, err := s.Value(key)
			if err != nil {
				return fmt.Errorf("a claim states no string for %s: %w", key, err)
			}
			values.Insert(value)
		}
		if values.Len() > 1 {
			return fmt.Errorf("%s is %v", key, sets.List(values))
		}
	}
	return nil
}

// unmarshal decodes JSON as strictly as an API server: names of fields are
// case-sensitive, and unknown or duplicate fields are errors.
func unmarshal(data []byte, into any) error {
	strict, err := json.UnmarshalStrict(data, into)
	if err != nil {
		return err
	}
	return errors.Join(strict...)
}
