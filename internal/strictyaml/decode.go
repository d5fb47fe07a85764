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
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/internal/similar"
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
func (d *Document) Decode(into any) error { return d.decode(into, false) }

// DecodeLenient is [Document.Decode] for formats in which no field is required.
// It also ignores fields without a value, resolves aliases, and converts scalars
// as YAML does: a number becomes a string, and yes becomes true.
func (d *Document) DecodeLenient(into any) error { return d.decode(into, true) }

func (d *Document) decode(into any, lenient bool) error {
	x := decoder{document: d, lenient: lenient}
	x.decode(d.root, reflect.ValueOf(into).Elem(), "")
	return errors.Join(x.problems...)
}

// decoder collects the problems of a document.
type decoder struct {
	document *Document
	lenient  bool
	problems []error
}

func (x *decoder) problem(node *yaml.Node, path, format string, args ...any) {
	x.problems = append(x.problems, x.document.errorAt(node.Line, path, format, args...))
}

// decode fills a value of any type.
func (x *decoder) decode(node *yaml.Node, into reflect.Value, path string) {
	if x.lenient && node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	switch {
	case node.Kind == yaml.AliasNode:
		x.problem(node, path, "aliases are not supported, repeat the value")
		return
	case node.Tag == nullTag && x.lenient:
		return
	case node.Tag == nullTag:
		x.problem(node, path, "has no value")
		return
	}
	switch target := into.Addr().Interface().(type) {
	case mapping:
		target.decodeMapping(x, node, path)
		return
	case *resource.Quantity:
		x.decodeQuantity(node, target, path)
		return
	case json.Unmarshaler:
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
	fields := fieldsOf(into, node.Line)
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
		if ok && !x.lenient && fields[name].required && !present[name] {
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

// fieldsOf returns the fields of a struct by their JSON names. It sets the
// struct's Position to the line.
func fieldsOf(of reflect.Value, line int) map[string]field {
	fields := map[string]field{}
	for i := range of.NumField() {
		declared := of.Type().Field(i)
		name, options, _ := strings.Cut(declared.Tag.Get("json"), ",")
		switch {
		case name != "" && name != "-":
			fields[name] = field{of.Field(i), !strings.Contains(options, "omit")}
		case declared.Type == reflect.TypeFor[Position]():
			of.Field(i).Set(reflect.ValueOf(Position{line}))
		case declared.Anonymous:
			maps.Copy(fields, fieldsOf(of.Field(i), line))
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
