// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package strictyaml

import (
	"fmt"
	"reflect"

	"go.yaml.in/yaml/v3"
)

// Position is embedded in a struct to record the line where it begins.
type Position struct{ Line int }

// Mapping is a mapping that keeps the order and the lines of its keys.
type Mapping[T any] []Entry[T]

// Entry is a key of a mapping with its line and its value.
type Entry[T any] struct {
	Name  string
	Line  int
	Value T
}

// mapping is implemented by pointers to all types Mapping.
type mapping interface {
	decodeMapping(x *decoder, node *yaml.Node, path string)
}

func (m *Mapping[T]) decodeMapping(x *decoder, node *yaml.Node, path string) {
	x.eachPair(node, path, func(key, value *yaml.Node) {
		entry := Entry[T]{Name: key.Value, Line: key.Line}
		x.decodeElement(key, value, reflect.ValueOf(&entry.Value).Elem(), path)
		*m = append(*m, entry)
	})
}

func (x *decoder) decodeMap(node *yaml.Node, into reflect.Value, path string) {
	into.Set(reflect.MakeMap(into.Type()))
	x.eachPair(node, path, func(key, value *yaml.Node) {
		element := reflect.New(into.Type().Elem()).Elem()
		x.decodeElement(key, value, element, path)
		into.SetMapIndex(reflect.ValueOf(key.Value).Convert(into.Type().Key()), element)
	})
}

// decodeElement fills an element of the mapping with a path.
func (x *decoder) decodeElement(key, value *yaml.Node, into reflect.Value, path string) {
	at := fmt.Sprintf("%s[%s]", path, key.Value)
	x.document.lines[at] = key.Line
	x.decode(value, into, at)
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
