package affinity

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
)

// Rule is what a driver enforces on one of its devices, whatever a scheduler
// knows about it.
type Rule struct {
	Declaration `json:",inline"`
	// Declared is set if the device's slice carries the declaration. Then a
	// scheduler sees to it that only claims with a valid entry get the device,
	// and the driver refuses all others. Otherwise claims need not state
	// anything, and the driver alone keeps those apart that do ("permissive
	// sharing" and "legacy" in the KEP's compatibility matrix).
	Declared bool `json:"declared,omitempty"`
}

// IsEmpty tells whether the rule demands nothing.
func (r Rule) IsEmpty() bool { return len(r.AttributeKeys) == 0 && !r.Declared }

// Admit returns the values that a request's entry states for the device. It is
// an error if the entry is not what the rule demands.
func (r Rule) Admit(config []resourceapi.DeviceAllocationConfiguration, request string) (map[string]string, error) {
	if len(r.AttributeKeys) == 0 {
		return nil, nil
	}
	entry, err := Find(config, request)
	if err != nil {
		return nil, err
	}
	if r.Declared {
		if _, err := entry.Values(r.AttributeKeys); err != nil {
			return nil, err
		}
	}
	return entry.Strings(), nil
}

// Meet returns an error if the values of two claims must not meet on the
// device. Those of the one that holds it may be unknown, if it was prepared
// before the device declared anything: then nobody can join it.
func (r Rule) Meet(held, wanted map[string]string) error {
	for _, key := range r.AttributeKeys {
		has, known := held[key]
		wants, stated := wanted[key]
		switch {
		case r.Declared && !known:
			return fmt.Errorf("its value for key %s is not known", key)
		case known && stated && has != wants:
			return fmt.Errorf("it has %q for key %s, not %q", has, key, wants)
		}
	}
	return nil
}

// Contradiction returns an error if the driver's own configuration in a claim
// states another value for a key than the claim's entry does. The driver's
// configuration states values as an entry does, in a field "attributes".
func (r Rule) Contradiction(driver string, config []resourceapi.DeviceAllocationConfiguration, request string, values map[string]string) error {
	result := resourceapi.DeviceRequestAllocationResult{Request: request}
	for _, own := range resourceclaim.ConfigForResult(config, result) {
		if own.Opaque.Driver != driver {
			continue
		}
		for _, key := range r.AttributeKeys {
			private, ok := attributesOf(own.Opaque.Parameters.Raw)[key]
			if !ok || private.StringValue == nil {
				continue
			}
			if value, stated := values[key]; stated && value != *private.StringValue {
				return fmt.Errorf("the driver's own configuration has %q for key %s, the %s entry has %q",
					*private.StringValue, key, EntryKind, value)
			}
		}
	}
	return nil
}
