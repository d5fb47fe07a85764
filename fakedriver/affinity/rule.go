// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package affinity

import (
	"encoding/json"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/internal/rules"
)

// Rule is the sharing affinity that a driver enforces on one of its devices.
// The driver enforces it whether or not the scheduler supports sharing
// affinity.
type Rule struct {
	Declaration `json:",inline"`
	// Declared is set if the device's slice carries the declaration. A
	// scheduler then allocates the device only to claims with a valid entry,
	// and the driver rejects all other claims. If it is not set, claims need
	// not state any values, and only the driver keeps claims with different
	// values apart ("permissive sharing" and "legacy" in the KEP's
	// compatibility matrix).
	Declared bool `json:"declared,omitempty"`
}

// IsEmpty reports whether the rule has no keys and is not declared.
func (r Rule) IsEmpty() bool { return len(r.AttributeKeys) == 0 && !r.Declared }

// Admit returns the values that a request's entry states for the device. It
// returns an error if the entry does not satisfy the rule.
func (r Rule) Admit(config []resourceapi.DeviceAllocationConfiguration, request string) (map[string]string, error) {
	if len(r.AttributeKeys) == 0 {
		return nil, nil
	}
	entry, err := rules.FindEntry(config, request)
	if err != nil {
		return nil, err
	}
	for _, key := range r.AttributeKeys {
		if _, err := entry.Value(key); err != nil && r.Declared {
			return nil, err
		}
	}
	return entry.Strings(), nil
}

// Meet returns an error if a claim with the wanted values must not share the
// device with a claim that holds it. The values of the holding claim may be
// unknown if the claim was prepared before the device had a declaration. With a
// declared rule, no other claim can then share the device.
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
// states another value for a key than the claim's entry. The driver's
// configuration states values like an entry, in the field "attributes".
func (r Rule) Contradiction(driver string, config []resourceapi.DeviceAllocationConfiguration, request string, values map[string]string) error {
	for _, own := range config {
		if own.Opaque == nil || own.Opaque.Driver != driver || !rules.Applies(own.Requests, request) {
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

// attributesOf returns the field "attributes" of parameters of any kind if it
// has the format of an entry's attributes.
func attributesOf(parameters []byte) map[string]resourceapi.DeviceAttribute {
	var own struct {
		Attributes map[string]resourceapi.DeviceAttribute `json:"attributes"`
	}
	if err := json.Unmarshal(parameters, &own); err != nil {
		return nil // The driver's own configuration may have any format.
	}
	return own.Attributes
}
