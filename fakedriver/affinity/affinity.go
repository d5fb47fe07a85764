// Package affinity holds the rules by which claims that share a device must
// agree, as KEP-5981 has them in its revision 44f990de4 (SA-1): how a claim
// states its values, how a device demands them, and which values may meet.
package affinity

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

// Annotation is where a ResourceSlice declares what its devices demand, as long
// as API servers drop the field: a JSON object from device names to
// Declarations.
const Annotation = "draconform.dev/sharing-affinity"

// MaxKeys is how many keys a device may declare, and how many attributes a
// claim may state.
const MaxKeys = 8

// Declaration is what a device demands of the claims that share it.
type Declaration struct {
	// AttributeKeys are fully qualified names, at least one and at most
	// MaxKeys. All claims on the device must have the same values for them.
	AttributeKeys []string `json:"attributeKeys"`
}

// Validate returns what is wrong with a declaration.
func (d Declaration) Validate() error {
	if len(d.AttributeKeys) == 0 {
		return errors.New("attributeKeys is empty")
	}
	if len(d.AttributeKeys) > MaxKeys {
		return fmt.Errorf("attributeKeys has %d keys, at most %d are allowed", len(d.AttributeKeys), MaxKeys)
	}
	for i, key := range d.AttributeKeys {
		domain, name, qualified := strings.Cut(key, "/")
		if !qualified || len(validation.IsDNS1123Subdomain(domain)) > 0 || len(validation.IsCIdentifier(name)) > 0 {
			return fmt.Errorf("key %q is no fully qualified name", key)
		}
		if slices.Contains(d.AttributeKeys[:i], key) {
			return fmt.Errorf("key %q is listed twice", key)
		}
	}
	return nil
}

// Parse returns the declarations in the value of the annotation, by device.
func Parse(value string) (map[string]Declaration, error) {
	var declared map[string]Declaration
	if err := yaml.UnmarshalStrict([]byte(value), &declared); err != nil { // JSON is YAML.
		return nil, fmt.Errorf("decode annotation %s: %w", Annotation, err)
	}
	for _, device := range slices.Sorted(maps.Keys(declared)) {
		if err := declared[device].Validate(); err != nil {
			return nil, fmt.Errorf("annotation %s, device %s: %w", Annotation, device, err)
		}
	}
	return declared, nil
}
