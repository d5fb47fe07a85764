// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"errors"
	"fmt"
	"reflect"

	resourceapi "k8s.io/api/resource/v1"
	"sigs.k8s.io/json"
)

// A claim states its affinity values as opaque parameters of this kind, for a
// driver name that belongs to no driver (KEP-5981, StructuredParameters).
const (
	EntryDriver     = "resource.k8s.io"
	EntryAPIVersion = "resource.k8s.io/v1alpha1"
	EntryKind       = "StructuredParameters"
)

// Entry contains the attributes that a claim states for one request. Nil means
// that the claim has no entry for the request.
type Entry map[string]resourceapi.DeviceAttribute

// Statement is what a claim states for one request: its entry, or why the entry
// is not known.
type Statement struct {
	entry Entry
	err   error
}

// StatementOf returns what the configuration of an allocation states for a
// request, named as in allocation results.
func StatementOf(config []resourceapi.DeviceAllocationConfiguration, request string) Statement {
	entry, err := FindEntry(config, request)
	return Statement{entry, err}
}

// Value returns the string that is stated for a key.
func (s Statement) Value(key string) (string, error) {
	if s.err != nil {
		return "", s.err
	}
	return s.entry.Value(key)
}

// FindEntry returns the entry in the configuration of an allocation for a
// request, named as in allocation results, or nil. At most one entry may apply
// to a request. Parameters that cannot be decoded may be an entry, and are an
// error.
func FindEntry(config []resourceapi.DeviceAllocationConfiguration, request string) (Entry, error) {
	var found Entry
	for _, c := range config {
		if c.Opaque == nil || c.Opaque.Driver != EntryDriver || !Applies(c.Requests, request) {
			continue
		}
		entry, recognized, err := DecodeEntry(c.Opaque.Parameters.Raw)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s entry for request %s: %w", EntryKind, request, err)
		case !recognized:
			continue
		case found != nil:
			return nil, fmt.Errorf("several %s entries for request %s", EntryKind, request)
		}
		found = entry
	}
	return found, nil
}

// DecodeEntry decodes opaque parameters for EntryDriver. recognized is false
// for parameters of another kind. An error means that the kind or the entry
// cannot be decoded.
func DecodeEntry(parameters []byte) (entry Entry, recognized bool, err error) {
	var kind struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := json.UnmarshalCaseSensitivePreserveInts(parameters, &kind); err != nil {
		return nil, false, fmt.Errorf("decode parameters: %w", err)
	}
	if kind.APIVersion != EntryAPIVersion || kind.Kind != EntryKind {
		return nil, false, nil
	}
	var payload struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Attributes Entry  `json:"attributes"`
	}
	if err := unmarshal(parameters, &payload); err != nil {
		return nil, false, fmt.Errorf("decode %s: %w", EntryKind, err)
	}
	if err := AtMost(len(payload.Attributes), MaxAffinityKeys, "attributes"); err != nil {
		return nil, false, err
	}
	if payload.Attributes == nil {
		payload.Attributes = Entry{}
	}
	return payload.Attributes, true, nil
}

// Value returns the string for a key. It returns an error if there is no entry,
// the key is missing, or its value is not a string and nothing else.
func (e Entry) Value(key string) (string, error) {
	if e == nil {
		return "", errors.New("no " + EntryKind + " entry targets the request")
	}
	attribute, found := e[key]
	switch {
	case !found:
		return "", fmt.Errorf("key %s is missing", key)
	case !isString(attribute):
		return "", fmt.Errorf("the value of key %s is no string", key)
	}
	return *attribute.StringValue, nil
}

// Strings returns the values of all keys whose value is a string and nothing
// else. It returns nil if there is no entry.
func (e Entry) Strings() map[string]string {
	if e == nil {
		return nil
	}
	values := map[string]string{}
	for key, attribute := range e {
		if isString(attribute) {
			values[key] = *attribute.StringValue
		}
	}
	return values
}

func isString(a resourceapi.DeviceAttribute) bool {
	return a.StringValue != nil && reflect.DeepEqual(a, resourceapi.DeviceAttribute{StringValue: a.StringValue})
}
