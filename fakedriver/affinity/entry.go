package affinity

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
)

// A claim states its affinity values as opaque parameters of this kind, for a
// driver name that belongs to no driver.
const (
	EntryDriver     = "resource.k8s.io"
	EntryAPIVersion = "resource.k8s.io/v1alpha1"
	EntryKind       = "StructuredParameters"
)

// Entry holds the affinity values that a claim states for one request.
type Entry struct {
	attributes map[string]resourceapi.DeviceAttribute
}

// payload is the schema of an entry's parameters.
type payload struct {
	APIVersion string                                 `json:"apiVersion"`
	Kind       string                                 `json:"kind"`
	Attributes map[string]resourceapi.DeviceAttribute `json:"attributes"`
}

// Find returns the entry in an allocation's configuration for a request, or nil
// if there is none. The request is named as in an allocation result,
// "<request>" or "<request>/<subrequest>". Several entries for one request and
// an entry that cannot be decoded are errors.
func Find(config []resourceapi.DeviceAllocationConfiguration, request string) (*Entry, error) {
	var found *Entry
	result := resourceapi.DeviceRequestAllocationResult{Request: request}
	for _, candidate := range resourceclaim.ConfigForResult(config, result) {
		if candidate.Opaque.Driver != EntryDriver {
			continue
		}
		entry, err := decode(candidate.Opaque.Parameters.Raw)
		if err != nil {
			return nil, fmt.Errorf("%s entry for request %s: %w", EntryKind, request, err)
		}
		if entry == nil {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("several %s entries for request %s", EntryKind, request)
		}
		found = entry
	}
	return found, nil
}

// decode returns nil for parameters of another kind.
func decode(parameters []byte) (*Entry, error) {
	var kind struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := json.Unmarshal(parameters, &kind); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	if kind.APIVersion != EntryAPIVersion || kind.Kind != EntryKind {
		return nil, nil
	}
	var entry payload
	decoder := json.NewDecoder(bytes.NewReader(parameters))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&entry); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	if len(entry.Attributes) > MaxKeys {
		return nil, fmt.Errorf("has %d attributes, at most %d are allowed", len(entry.Attributes), MaxKeys)
	}
	return &Entry{entry.Attributes}, nil
}

// Values returns the values of the given keys. It returns an error if the entry
// is nil, or if a key is missing or its value is not a string. Other keys are
// ignored.
func (e *Entry) Values(keys []string) (map[string]string, error) {
	if e == nil {
		return nil, errors.New("no " + EntryKind + " entry targets the request")
	}
	values := make(map[string]string, len(keys))
	for _, key := range keys {
		attribute, ok := e.attributes[key]
		if !ok {
			return nil, fmt.Errorf("key %s is missing", key)
		}
		if !isString(attribute) {
			return nil, fmt.Errorf("the value of key %s is no string", key)
		}
		values[key] = *attribute.StringValue
	}
	return values, nil
}

// Strings returns the values of all keys whose value is a single string. It
// returns nil for a nil entry.
func (e *Entry) Strings() map[string]string {
	if e == nil {
		return nil
	}
	values := map[string]string{}
	for key, attribute := range e.attributes {
		if isString(attribute) {
			values[key] = *attribute.StringValue
		}
	}
	return values
}

// isString reports whether an attribute has exactly one string and no other
// value.
func isString(a resourceapi.DeviceAttribute) bool {
	return a.StringValue != nil && reflect.DeepEqual(a, resourceapi.DeviceAttribute{StringValue: a.StringValue})
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
