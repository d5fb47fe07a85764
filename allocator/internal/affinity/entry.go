// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package affinity

import (
	"errors"
	"fmt"
	"reflect"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"sigs.k8s.io/json"
)

// Driver, API version and kind of the opaque parameters in which a claim states its affinity values. No driver has
// this name.
const (
	EntryDriver     = "resource.k8s.io"
	EntryAPIVersion = "resource.k8s.io/v1alpha1"
	EntryKind       = "StructuredParameters"
)

// Entry is the affinity values of a claim for one request. Nil means that the claim states none. It is decoded on
// first use. It is safe for concurrent use.
type Entry struct {
	parameters [][]byte

	once   sync.Once
	stated map[string]resourceapi.DeviceAttribute
	flaw   Problem // The problem of the entry as a whole.
}

// Add adds configuration that targets the request and returns the entry. The receiver may be nil. The kind of the
// parameters is checked when the entry is decoded.
func (e *Entry) Add(c *resourceapi.DeviceConfiguration) *Entry {
	if c.Opaque == nil || c.Opaque.Driver != EntryDriver {
		return e
	}
	if e == nil {
		e = &Entry{}
	}
	e.parameters = append(e.parameters, c.Opaque.Parameters.Raw)
	return e
}

// Value returns the value of a key of a device, or the problem of the entry. Keys that no device declares are
// ignored.
func (e *Entry) Value(key string) (string, Problem) {
	if e == nil {
		return "", Problem{Kind: MissingEntry}
	}
	e.once.Do(e.decode)
	if e.flaw.Kind != None {
		return "", e.flaw
	}
	attribute, ok := e.stated[key]
	switch {
	case !ok:
		return "", Problem{Kind: MissingKey, Key: key}
	case !isString(attribute):
		return "", Problem{Kind: NonString, Key: key}
	}
	return *attribute.StringValue, Problem{}
}

// Values returns the values of keys, in their order.
func (e *Entry) Values(keys []string) ([]string, Problem) {
	values := make([]string, len(keys))
	for i, key := range keys {
		value, problem := e.Value(key)
		if problem.Kind != None {
			return nil, problem
		}
		values[i] = value
	}
	return values, Problem{}
}

// isString returns whether an attribute has a string value and no other value.
func isString(a resourceapi.DeviceAttribute) bool {
	return a.StringValue != nil && reflect.DeepEqual(a, resourceapi.DeviceAttribute{StringValue: a.StringValue})
}

// decode reads the entry from the configuration. Parameters of another kind are ignored. Parameters that cannot be
// decoded may be an entry, so they make the whole entry malformed.
func (e *Entry) decode() {
	found := 0
	for _, parameters := range e.parameters {
		stated, recognized, err := Decode(parameters)
		if err != nil {
			e.flaw = Problem{Kind: Malformed, Err: err}
			return
		}
		if recognized {
			found++
			e.stated = stated
		}
	}
	switch found {
	case 0:
		e.flaw.Kind = MissingEntry
	case 1:
	default:
		e.flaw.Kind = Duplicate
	}
}

// Decode reads opaque parameters for EntryDriver. recognized is false for parameters of another kind. It returns an
// error if the kind or the entry cannot be decoded.
func Decode(parameters []byte) (stated map[string]resourceapi.DeviceAttribute, recognized bool, err error) {
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
	var entry struct {
		APIVersion string                                 `json:"apiVersion"`
		Kind       string                                 `json:"kind"`
		Attributes map[string]resourceapi.DeviceAttribute `json:"attributes"`
	}
	if err := unmarshal(parameters, &entry); err != nil {
		return nil, false, fmt.Errorf("decode %s: %w", EntryKind, err)
	}
	if len(entry.Attributes) > MaxKeys {
		return nil, false, fmt.Errorf("has %d attributes, at most %d are allowed", len(entry.Attributes), MaxKeys)
	}
	return entry.Attributes, true, nil
}

// unmarshal decodes JSON in the same way as API servers. Names are case-sensitive, and unknown or duplicate names
// are errors.
func unmarshal(data []byte, into any) error {
	strict, err := json.UnmarshalStrict(data, into)
	if err != nil {
		return err
	}
	return errors.Join(strict...)
}
