// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"slices"
	"strconv"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/internal/pools"
	"github.com/draconform/draconform/internal/fault"
)

// Value is an attribute of a device in the form that constraints compare. Equal values of the same type have equal
// IDs, independent of attribute, driver and device.
type Value struct {
	// Set reports whether the device has the attribute.
	Set bool
	// IDs is the set of values in ascending order, with list attributes. Without list attributes it is the single
	// value. It has more than one only if the attribute violates the API rule of a single value.
	IDs []uint32
	// Own is the value that is compared with other devices, without list attributes. It is zero if the value has an
	// unknown type.
	Own uint32
}

// value is one value of one type.
type value struct {
	kind byte
	n    int64
	s    string
}

// Attribute is a device attribute that constraints compare.
type Attribute struct {
	memo *Memo
	name resourceapi.FullyQualifiedName
}

// Values returns the attribute of all devices of a slice.
func (a *Attribute) Values(slice *pools.Slice) []Value {
	return slice.Column(a, func() any {
		name := resourceapi.QualifiedName(a.name)
		var short resourceapi.QualifiedName
		if domain, id, ok := strings.Cut(string(a.name), "/"); ok && domain == slice.API.Spec.Driver && !fault.ComparesLongNamesOnly {
			short = resourceapi.QualifiedName(id)
		}
		values := make([]Value, slice.Len())
		for i := range values {
			attributes := slice.API.Spec.Devices[i].Attributes
			attribute, ok := attributes[name]
			if !ok && short != "" {
				attribute, ok = attributes[short]
			}
			if ok {
				values[i] = a.memo.value(&attribute)
			}
		}
		return values
	}).([]Value)
}

// value interns an attribute.
func (m *Memo) value(attribute *resourceapi.DeviceAttribute) Value {
	if m.lists {
		return Value{Set: true, IDs: m.list(attribute)}
	}
	v := Value{Set: true}
	// The order of types is the order in which the value of a new device is checked.
	for _, scalar := range []*uint32{
		m.text('s', attribute.StringValue), m.number('i', attribute.IntValue),
		m.boolean(attribute.BoolValue), m.text('v', attribute.VersionValue),
	} {
		if scalar == nil {
			continue
		}
		if v.Own == 0 {
			v.Own = *scalar
		}
		v.IDs = append(v.IDs, *scalar)
	}
	return v
}

// list returns the values of an attribute as a set. Lists take precedence over scalars.
func (m *Memo) list(attribute *resourceapi.DeviceAttribute) []uint32 {
	var ids []uint32
	switch {
	case len(attribute.IntValues) > 0:
		for i := range attribute.IntValues {
			ids = append(ids, *m.number('i', &attribute.IntValues[i]))
		}
	case len(attribute.BoolValues) > 0:
		for i := range attribute.BoolValues {
			ids = append(ids, *m.boolean(&attribute.BoolValues[i]))
		}
	case len(attribute.StringValues) > 0:
		for i := range attribute.StringValues {
			ids = append(ids, *m.text('s', &attribute.StringValues[i]))
		}
	case len(attribute.VersionValues) > 0:
		for i := range attribute.VersionValues {
			ids = append(ids, *m.text('v', &attribute.VersionValues[i]))
		}
	case attribute.IntValue != nil:
		return []uint32{*m.number('i', attribute.IntValue)}
	case attribute.BoolValue != nil:
		return []uint32{*m.boolean(attribute.BoolValue)}
	case attribute.StringValue != nil:
		return []uint32{*m.text('s', attribute.StringValue)}
	case attribute.VersionValue != nil:
		return []uint32{*m.text('v', attribute.VersionValue)}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (m *Memo) text(kind byte, s *string) *uint32 {
	if s == nil {
		return nil
	}
	if fault.ComparesValuesAsText {
		kind = 's'
	}
	return m.intern(value{kind: kind, s: *s})
}

func (m *Memo) number(kind byte, n *int64) *uint32 {
	if n == nil {
		return nil
	}
	if fault.ComparesValuesAsText {
		return m.intern(value{kind: 's', s: strconv.FormatInt(*n, 10)})
	}
	return m.intern(value{kind: kind, n: *n})
}

func (m *Memo) boolean(b *bool) *uint32 {
	switch {
	case b == nil:
		return nil
	case *b:
		return m.intern(value{kind: 'b', n: 1})
	}
	return m.intern(value{kind: 'b'})
}

func (m *Memo) intern(v value) *uint32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	id, ok := m.values[v]
	if !ok {
		id = uint32(len(m.values) + 1) //nolint:gosec // The index is reset long before 2^32 values.
		m.values[v] = id
	}
	return &id
}
