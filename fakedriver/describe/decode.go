// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The decoder below fills types of this package and of the Kubernetes API. The
// API types only decode JSON. Converting the document to JSON first would lose
// the line numbers.

// entry is a key of a mapping with its value.
type entry[T any] struct {
	name  string
	line  int
	value T
}

// entries is a mapping that keeps the order of its keys.
type entries[T any] []entry[T]

func (e *entries[T]) decodeMapping(node *yaml.Node) error {
	return eachPair(node, func(key, value *yaml.Node) error {
		decoded := entry[T]{name: key.Value, line: key.Line}
		if err := decode(value, reflect.ValueOf(&decoded.value).Elem()); err != nil {
			return err
		}
		*e = append(*e, decoded)
		return nil
	})
}

// decode fills a value. A null field keeps its current value.
func decode(node *yaml.Node, into reflect.Value) error {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if node.Tag == "!!null" {
		return nil
	}
	switch target := into.Addr().Interface().(type) {
	case interface{ decodeMapping(*yaml.Node) error }:
		return target.decodeMapping(node)
	case json.Unmarshaler:
		return decodeJSON(node, target)
	}
	switch into.Kind() {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		return decode(node, into.Elem())
	case reflect.Struct:
		return decodeStruct(node, into)
	case reflect.Slice:
		return decodeSlice(node, into)
	default:
		if node.Kind != yaml.ScalarNode || node.Decode(into.Addr().Interface()) != nil {
			return at(node.Line, "expected %s, found %s", article(into.Kind().String()), describeNode(node))
		}
		return nil
	}
}

func decodeStruct(node *yaml.Node, into reflect.Value) error {
	if located, ok := reflect.TypeAssert[interface{ setLine(int) }](into.Addr()); ok {
		located.setLine(node.Line)
	}
	fields := map[string]reflect.Value{}
	collectFields(into, fields)
	return eachPair(node, func(key, value *yaml.Node) error {
		field, ok := fields[key.Value]
		if !ok {
			return at(key.Line, "unknown field %q, use one of %s", key.Value, strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
		}
		return decode(value, field)
	})
}

// collectFields finds the fields of a struct by their JSON names.
func collectFields(of reflect.Value, fields map[string]reflect.Value) {
	for i := range of.NumField() {
		field := of.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name != "":
			fields[name] = of.Field(i)
		case field.Anonymous:
			collectFields(of.Field(i), fields)
		}
	}
}

func decodeSlice(node *yaml.Node, into reflect.Value) error {
	if node.Kind != yaml.SequenceNode {
		return at(node.Line, "expected a list, found %s", describeNode(node))
	}
	into.Set(reflect.MakeSlice(into.Type(), len(node.Content), len(node.Content)))
	for i, item := range node.Content {
		if err := decode(item, into.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// decodeJSON fills a type that decodes itself from a JSON string, such as a
// resource.Quantity.
func decodeJSON(node *yaml.Node, into json.Unmarshaler) error {
	text, err := json.Marshal(node.Value)
	if err != nil {
		return at(node.Line, "encode %q: %w", node.Value, err)
	}
	if node.Kind != yaml.ScalarNode {
		return at(node.Line, "expected a quantity, found %s", describeNode(node))
	}
	if err := into.UnmarshalJSON(text); err != nil {
		return at(node.Line, "read %q: %w", node.Value, err)
	}
	return nil
}

// eachPair calls a function for every key and value of a mapping.
func eachPair(node *yaml.Node, call func(key, value *yaml.Node) error) error {
	if node.Kind != yaml.MappingNode {
		return at(node.Line, "expected a mapping, found %s", describeNode(node))
	}
	seen := map[string]int{}
	for i := 0; i < len(node.Content); i += 2 {
		key := node.Content[i]
		if line, ok := seen[key.Value]; ok {
			return at(key.Line, "%q is already set in line %d", key.Value, line)
		}
		seen[key.Value] = key.Line
		if err := call(key, node.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func describeNode(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
		return fmt.Sprintf("%q", node.Value)
	}
}

func article(kind string) string {
	if strings.HasPrefix(kind, "int") {
		return "an " + kind
	}
	return "a " + kind
}
