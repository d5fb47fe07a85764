// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package selector evaluates the criteria of claims for devices: CEL selectors, derived attributes, the attributes
// that constraints compare, and the capacity that requests consume. Each is a pure function of a device, so it is
// evaluated once per device and cached with the slice of the device.
package selector

import (
	"regexp"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
)

// Memo caches expressions and attribute values. It is safe for concurrent use.
type Memo struct {
	cache *cel.Cache
	lists bool
	// plain contains the requirements without requests, without and with fractional ranges.
	plain [2]Requirement

	mu           sync.RWMutex
	selectors    map[string]*Selector
	derived      map[string]*Derived
	attributes   map[resourceapi.FullyQualifiedName]*Attribute
	requirements map[string]*Requirement
	values       map[value]uint32
}

// NewMemo returns an empty memo. With lists, attributes may be lists of values (DRAListTypeAttributes).
func NewMemo(cache *cel.Cache, lists bool) *Memo {
	return &Memo{
		plain:        [2]Requirement{{}, {fractional: true}},
		cache:        cache,
		lists:        lists,
		selectors:    map[string]*Selector{},
		derived:      map[string]*Derived{},
		attributes:   map[resourceapi.FullyQualifiedName]*Attribute{},
		requirements: map[string]*Requirement{},
		values:       map[value]uint32{},
	}
}

// Len returns the number of cached entries, for callers that bound it.
func (m *Memo) Len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.selectors) + len(m.derived) + len(m.attributes) + len(m.requirements) + len(m.values)
}

func remember[K comparable, V any](m *Memo, known map[K]*V, key K, create func() *V) *V {
	m.mu.RLock()
	v := known[key]
	m.mu.RUnlock()
	if v != nil {
		return v
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if v := known[key]; v != nil {
		return v
	}
	v = create()
	known[key] = v
	return v
}

// Selector returns the selector with this CEL expression.
func (m *Memo) Selector(expression string) *Selector {
	return remember(m, m.selectors, expression, func() *Selector {
		s := &Selector{memo: m, Expression: expression}
		if match := onlyDriver.FindStringSubmatch(expression); match != nil {
			driver := match[1] + match[2]
			s.driver = &driver
		}
		return s
	})
}

// onlyDriver matches the selector that most classes have. It can be evaluated without CEL.
var onlyDriver = regexp.MustCompile(`^\s*device\.driver\s*==\s*(?:"([^"\\\n\r]*)"|'([^'\\\n\r]*)')\s*$`)

// Derived returns the derived attribute with this CEL expression.
func (m *Memo) Derived(expression string) *Derived {
	return remember(m, m.derived, expression, func() *Derived { return &Derived{memo: m, expression: expression} })
}

// Attribute returns the attribute with this name.
func (m *Memo) Attribute(name resourceapi.FullyQualifiedName) *Attribute {
	return remember(m, m.attributes, name, func() *Attribute { return &Attribute{memo: m, name: name} })
}
