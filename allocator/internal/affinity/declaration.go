// Package affinity holds the rules by which claims that share a device must agree, as KEP-5981 has them in its revision
// 44f990de4: how a slice declares what its devices demand, how a claim states its values, what active claims lock a
// device to, and how all of that is told.
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

// Annotation is where a ResourceSlice declares what its devices demand, as long as API servers drop the field
// spec.devices[].sharingAffinity: a JSON object from device names to {"attributeKeys": [...]}.
const Annotation = "draconform.dev/sharing-affinity"

// MaxKeys is how many keys a device may declare, and how many attributes a claim may state.
const MaxKeys = 8

// Declarations is what the devices of one slice demand.
type Declarations struct {
	// Keys are those of each device, in the order of the slice; nil for a device that demands nothing. All
	// claims on the device must have the same values for them.
	Keys [][]string
	// Err is why the declarations cannot be read. No device of the slice can be used then, because nobody knows
	// what it demands. An API server would not let such a slice in.
	Err error
}

// Read returns what a slice declares, nil if that is nothing. This is the one place that knows where it stands.
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
