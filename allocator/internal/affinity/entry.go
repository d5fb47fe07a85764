package affinity

import (
	"errors"
	"fmt"
	"reflect"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"sigs.k8s.io/json"
)

// How a claim states its values: opaque parameters for a driver that does not exist, of a well-known kind.
const (
	EntryDriver     = "resource.k8s.io"
	EntryAPIVersion = "resource.k8s.io/v1alpha1"
	EntryKind       = "StructuredParameters"
)

// Entry is what a claim states for one request. Nil stands for a claim that states nothing. It is decoded when
// a value is asked for, and safe for concurrent use.
type Entry struct {
	parameters [][]byte

	once   sync.Once
	stated map[string]resourceapi.DeviceAttribute
	flaw   Problem // That of the entry as a whole.
}

// Add adds configuration that targets the request, and returns the entry, which may have been nil. Whether it is
// of the right kind is known when it is decoded.
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

// Value returns the value of a key that a device demands, or what is wrong with the entry. Keys that
// no device demands do not matter, whatever they are.
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

// isString tells whether an attribute has one string and nothing else.
func isString(a resourceapi.DeviceAttribute) bool {
	return a.StringValue != nil && reflect.DeepEqual(a, resourceapi.DeviceAttribute{StringValue: a.StringValue})
}

// decode reads the one entry among the configuration. What has another kind is none; what cannot be read may be
// one, so it spoils the request.
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

// Decode reads opaque parameters for EntryDriver. What is of another kind is not recognized. An error says that
// nobody knows what it is, or what it states.
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

// unmarshal decodes JSON as API servers do: names are told apart by their case, too, and a name that is unknown or
// there twice is an error.
func unmarshal(data []byte, into any) error {
	strict, err := json.UnmarshalStrict(data, into)
	if err != nil {
		return err
	}
	return errors.Join(strict...)
}
