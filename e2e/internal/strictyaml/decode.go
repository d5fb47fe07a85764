// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package strictyaml

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/draconform/draconform/e2e/internal/similar"
)

// Enum is implemented by string types with a fixed set of values.
type Enum interface {
	// Values returns the valid values.
	Values() []string
}

// The tags of scalars.
const (
	nullTag   = "!!null"
	stringTag = "!!str"
	boolTag   = "!!bool"
	intTag    = "!!int"
	floatTag  = "!!float"
)

// Decode fills a struct. A field is required unless its JSON tag has omitempty
// or omitzero. Types that decode themselves from JSON are given the value as
// JSON. The error lists all problems of the document, each on its own line.
func (d *Document) Decode(into any) error {
	x := decoder{document: d}
	x.decode(d.root, reflect.ValueOf(into).Elem(), "")
	return errors.Join(x.problems...)
}

// decoder collects the problems of a document.
type decoder struct {
	document *Document
	problems []error
}

func (x *decoder) problem(node *yaml.Node, path, format string, args ...any) {
	x.problems = append(x.problems, x.document.errorAt(node.Line, path, format, args...))
}

// decode fills a value of any type.
func (x *decoder) decode(node *yaml.Node, into reflect.Value, path string) {
	switch {
	case node.Kind == yaml.AliasNode:
		x.problem(node, path, "aliases are not supported, repeat the value")
		return
	case node.Tag == nullTag:
		x.problem(node, path, "has no value")
		return
	}
	if target, ok := reflect.TypeAssert[json.Unmarshaler](into.Addr()); ok {
		x.decodeJSON(node, target, path)
		return
	}
	switch into.Kind() {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		x.decode(node, into.Elem(), path)
	case reflect.Struct:
		x.decodeStruct(node, into, path)
	case reflect.Slice:
		x.decodeSlice(node, into, path)
	case reflect.Map:
		x.decodeMap(node, into, path)
	default:
		x.decodeScalar(node, into, path)
	}
}

func (x *decoder) decodeStruct(node *yaml.Node, into reflect.Value, path string) {
	fields := fieldsOf(into)
	names := slices.Sorted(maps.Keys(fields))
	present := map[string]bool{}
	ok := x.eachPair(node, path, func(key, value *yaml.Node) {
		at := key.Value
		if path != "" {
			at = path + "." + key.Value
		}
		if field, known := fields[key.Value]; known {
			present[key.Value] = true
			x.document.lines[at] = key.Line
			x.decode(value, field.value, at)
			return
		}
		// A misspelt field is not missing in addition.
		present[x.unknown(key, path, names)] = true
	})
	for _, name := range names {
		if ok && fields[name].required && !present[name] {
			x.problem(node, path, "%q is missing", name)
		}
	}
}

// unknown records an unknown field. It returns the field that was probably
// meant, or an empty string.
func (x *decoder) unknown(key *yaml.Node, path string, names []string) string {
	of := ""
	if path != "" {
		of = " of " + path
	}
	if meant := similar.Names(key.Value, names); len(meant) > 0 {
		x.problem(key, "", "unknown field %q%s, did you mean %q?", key.Value, of, meant[0])
		return meant[0]
	}
	x.problem(key, "", "unknown field %q%s, use one of %s", key.Value, of, strings.Join(names, ", "))
	return ""
}

// field is a field of a struct.
type field struct {
	value    reflect.Value
	required bool
}

// fieldsOf returns the fields of a struct by their JSON names.
func fieldsOf(of reflect.Value) map[string]field {
	fields := map[string]field{}
	for i := range of.NumField() {
		declared := of.Type().Field(i)
		name, options, _ := strings.Cut(declared.Tag.Get("json"), ",")
		switch {
		case name != "" && name != "-":
			fields[name] = field{of.Field(i), !strings.Contains(options, "omit")}
		case declared.Anonymous:
			maps.Copy(fields, fieldsOf(of.Field(i)))
		}
	}
	return fields
}

func (x *decoder) decodeSlice(node *yaml.Node, into reflect.Value, path string) {
	if node.Kind != yaml.SequenceNode {
		x.problem(node, path, "expected a list, found %s", found(node))
		return
	}
	into.Set(reflect.MakeSlice(into.Type(), len(node.Content), len(node.Content)))
	for i, item := range node.Content {
		at := fmt.Sprintf("%s[%d]", path, i)
		x.document.lines[at] = item.Line
		x.decode(item, into.Index(i), at)
	}
}

func (x *decoder) decodeMap(node *yaml.Node, into reflect.Value, path string) {
	into.Set(reflect.MakeMap(into.Type()))
	x.eachPair(node, path, func(key, value *yaml.Node) {
		at := fmt.Sprintf("%s[%s]", path, key.Value)
		x.document.lines[at] = key.Line
		element := reflect.New(into.Type().Elem()).Elem()
		x.decode(value, element, at)
		into.SetMapIndex(reflect.ValueOf(key.Value).Convert(into.Type().Key()), element)
	})
}

// eachPair calls a function for every key and value of a mapping. It reports
// whether the node is a mapping.
func (x *decoder) eachPair(node *yaml.Node, path string, call func(key, value *yaml.Node)) bool {
	if node.Kind != yaml.MappingNode {
		x.problem(node, path, "expected fields, found %s", found(node))
		return false
	}
	lines := map[string]int{}
	for i := 0; i < len(node.Content); i += 2 {
		key := node.Content[i]
		switch line, twice := lines[key.Value]; {
		case key.Kind != yaml.ScalarNode:
			x.problem(key, path, "expected the name of a field, found %s", found(key))
		case twice:
			x.problem(key, path, "%q is already set in line %d", key.Value, line)
		default:
			lines[key.Value] = key.Line
			call(key, node.Content[i+1])
		}
	}
	return true
}
