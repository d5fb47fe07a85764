// Package affinity implements the sharing affinity of KEP-5981, revision
// 44f990de4 (SA-1). It defines how a claim states its values, how a device
// declares the attributes for which claims must agree, and which values may
// share a device.
package affinity

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

// Annotation is the annotation of a ResourceSlice with the declarations of its
// devices. It replaces the proposed field, which API servers drop. The value is
// a JSON object that maps device names to Declarations.
const Annotation = "draconform.dev/sharing-affinity"

// MaxKeys is the maximum number of keys in a device's declaration and of
// attributes in a claim's entry.
const MaxKeys = 8

// Declaration lists the attributes for which claims that share a device must
// have the same values.
type Declaration struct {
	// AttributeKeys are fully qualified names, at least one and at most
	// MaxKeys. All claims on the device must have the same values for them.
	AttributeKeys []string `json:"attributeKeys"`
}

// Validate returns an error if the declaration is invalid.
func (d Declaration) Validate() error {
	if len(d.AttributeKeys) == 0 {
		return errors.New("attributeKeys is empty")
	}
	if len(d.AttributeKeys) > MaxKeys {
		return fmt.Errorf("attributeKeys has %d keys, at most %d are allowed", len(d.AttributeKeys), MaxKeys)
	}
	for i, key := range d.AttributeKeys {
		if err := checkKey(key); err != nil {
			return err
		}
		if slices.Contains(d.AttributeKeys[:i], key) {
			return fmt.Errorf("key %q is listed twice", key)
		}
	}
	return nil
}

// checkKey checks that a key is a fully qualified name (resource.k8s.io/v1,
// FullyQualifiedName).
func checkKey(key string) error {
	domain, name, qualified := strings.Cut(key, "/")
	switch {
	case !qualified || len(validation.IsDNS1123Subdomain(domain)) > 0 || len(validation.IsCIdentifier(name)) > 0:
		return fmt.Errorf("key %q is no fully qualified name", key)
	case len(domain) > resourceapi.DeviceMaxDomainLength:
		return fmt.Errorf("key %q has %d characters in its domain, at most %d are allowed", key, len(domain), resourceapi.DeviceMaxDomainLength)
	case len(name) > resourceapi.DeviceMaxIDLength:
		return fmt.Errorf("key %q has %d characters in its name, at most %d are allowed", key, len(name), resourceapi.DeviceMaxIDLength)
	default:
		return nil
	}
}

// Parse returns the declarations in the annotation's value by device name.
func Parse(value string) (map[string]Declaration, error) {
	var declared map[string]Declaration
	if err := yaml.UnmarshalStrict([]byte(value), &declared); err != nil { // JSON is a subset of YAML.
		return nil, fmt.Errorf("decode annotation %s: %w", Annotation, err)
	}
	for _, device := range slices.Sorted(maps.Keys(declared)) {
		if err := declared[device].Validate(); err != nil {
			return nil, fmt.Errorf("annotation %s, device %s: %w", Annotation, device, err)
		}
	}
	return declared, nil
}

// Annotate sets the annotation of a slice to the declarations of the devices in
// the slice. The declarations are given by device name and may include devices
// of other slices. Annotate reports whether it changed the slice.
func Annotate(slice *resourceapi.ResourceSlice, declared map[string]Declaration) (changed bool, err error) {
	own := map[string]Declaration{}
	for _, device := range slice.Spec.Devices {
		if declaration, ok := declared[device.Name]; ok {
			own[device.Name] = declaration
		}
	}
	before, had := slice.Annotations[Annotation]
	if len(own) == 0 {
		delete(slice.Annotations, Annotation)
		return had, nil
	}
	value, err := json.Marshal(own)
	if err != nil {
		return false, fmt.Errorf("encode annotation %s: %w", Annotation, err)
	}
	metav1.SetMetaDataAnnotation(&slice.ObjectMeta, Annotation, string(value))
	return before != string(value), nil
}
