// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package strictyaml

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/api/resource"
)

// decodeScalar fills a string, a Boolean or a number. It only converts between
// types if it is lenient.
func (x *decoder) decodeScalar(node *yaml.Node, into reflect.Value, path string) {
	kind, tag := "a number", intTag
	switch into.Kind() {
	case reflect.String:
		kind, tag = "a string", stringTag
	case reflect.Bool:
		kind, tag = "true or false", boolTag
	default: // a number
	}
	enum, isEnum := reflect.TypeAssert[Enum](into)
	switch {
	case node.Kind == yaml.ScalarNode && isEnum:
		x.decodeEnum(node, into, path, enum.Values())
	case node.Kind == yaml.ScalarNode && tag == stringTag && node.Tag != stringTag && !x.lenient:
		x.problem(node, path, "expected a string, found %s: put it in quotes", node.Value)
	case node.Kind != yaml.ScalarNode || node.Tag != tag && !x.lenient:
		x.problem(node, path, "expected %s, found %s", kind, found(node))
	default:
		if err := node.Decode(into.Addr().Interface()); err != nil {
			x.problem(node, path, "expected %s, found %s", kind, found(node))
		}
	}
}

// decodeEnum fills a string with one of several values. The values may look
// like those of other types: some parsers take yes for a Boolean.
func (x *decoder) decodeEnum(node *yaml.Node, into reflect.Value, path string, values []string) {
	if !slices.Contains(values, node.Value) {
		x.problem(node, path, "%q is not known, use one of %s", node.Value, strings.Join(values, ", "))
		return
	}
	into.SetString(node.Value)
}

// decodeQuantity fills a quantity with the text of a string or a number, because
// numbers such as .5 are quantities and not JSON.
func (x *decoder) decodeQuantity(node *yaml.Node, into *resource.Quantity, path string) {
	if node.Kind != yaml.ScalarNode {
		x.problem(node, path, "expected a quantity, found %s", found(node))
		return
	}
	quantity, err := resource.ParseQuantity(strings.TrimSpace(node.Value))
	if err != nil {
		x.problem(node, path, "read %s: %w", found(node), err)
		return
	}
	*into = quantity
}

// decodeJSON fills a type that decodes itself from JSON.
func (x *decoder) decodeJSON(node *yaml.Node, into json.Unmarshaler, path string) {
	before := len(x.problems)
	var text bytes.Buffer
	x.writeJSON(&text, node, path)
	if len(x.problems) > before {
		return
	}
	if err := into.UnmarshalJSON(text.Bytes()); err != nil {
		x.problem(node, path, "read %s: %w", found(node), err)
	}
}

// writeJSON writes a value as JSON. The order of fields and the digits of
// numbers do not change.
func (x *decoder) writeJSON(to *bytes.Buffer, node *yaml.Node, path string) {
	separator := ""
	switch node.Kind {
	case yaml.MappingNode:
		to.WriteByte('{')
		x.eachPair(node, path, func(key, value *yaml.Node) {
			to.WriteString(separator)
			writeString(to, key.Value)
			to.WriteByte(':')
			x.writeJSON(to, value, path+"."+key.Value)
			separator = ","
		})
		to.WriteByte('}')
	case yaml.SequenceNode:
		to.WriteByte('[')
		for _, item := range node.Content {
			to.WriteString(separator)
			x.writeJSON(to, item, path)
			separator = ","
		}
		to.WriteByte(']')
	case yaml.ScalarNode:
		x.writeScalar(to, node, path)
	default:
		x.problem(node, path, "aliases are not supported, repeat the value")
	}
}

func (x *decoder) writeScalar(to *bytes.Buffer, node *yaml.Node, path string) {
	switch node.Tag {
	case nullTag:
		to.WriteString("null")
	case boolTag, intTag, floatTag:
		if !json.Valid([]byte(node.Value)) {
			x.problem(node, path, "%s cannot be written as JSON: write it in the form of JSON, or put it in quotes", node.Value)
			return
		}
		to.WriteString(node.Value)
	default:
		writeString(to, node.Value)
	}
}

func writeString(to *bytes.Buffer, text string) {
	// Strings always encode, so the error is ignored.
	encoded, _ := json.Marshal(text)
	to.Write(encoded)
}

// found describes the value of a node.
func found(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "fields"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	default:
		return "\"" + node.Value + "\""
	}
}
