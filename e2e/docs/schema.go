// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject/driverfile"
)

// schemaPage is the path of the JSON schema of driver files.
const schemaPage = "schema/driver.v1alpha1.json"

// schemaURL is where the schema is published.
const schemaURL = "https://raw.githubusercontent.com/draconform/draconform/main/docs/" + schemaPage

// object is a JSON object.
type object = map[string]any

// Schema returns the JSON schema of driver files. It is derived from the types
// of package driverfile and their comments. dir is the directory docs of a
// checkout.
func Schema(dir string) (string, error) {
	types, err := parseTypes(filepath.Join(dir, "../e2e/subject/driverfile"))
	if err != nil {
		return "", err
	}
	s := schemas{types: types, definitions: object{}}
	root, err := s.refer(driverfile.Kind)
	if err != nil {
		return "", err
	}
	root["$schema"], root["$id"], root["title"] = "https://json-schema.org/draft/2020-12/schema", schemaURL, "A driver file of draconform"
	root["$defs"] = s.definitions
	fields := s.definitions[driverfile.Kind].(object)["properties"].(object)
	fields["apiVersion"].(object)["const"], fields["kind"].(object)["const"] = driverfile.APIVersion, driverfile.Kind
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(root); err != nil {
		return "", fmt.Errorf("encode the schema of driver files: %w", err)
	}
	return text.String(), nil
}

// WriteSchema writes the JSON schema of driver files into the directory docs of
// a checkout and returns its path.
func WriteSchema(dir string) (string, error) {
	schema, err := Schema(dir)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, schemaPage)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", fmt.Errorf("write the schema of driver files: %w", err)
	}
	if err := os.WriteFile(path, []byte(schema), 0o644); err != nil {
		return "", fmt.Errorf("write the schema of driver files: %w", err)
	}
	return path, nil
}

// schemas collects the definitions of a schema.
type schemas struct {
	types       map[string]declared
	definitions object
}

// refer returns a reference to a type, which it defines if necessary.
func (s *schemas) refer(name string) (object, error) {
	if _, ok := s.definitions[name]; !ok {
		s.definitions[name] = nil // A type may refer to itself.
		definition, err := s.define(name)
		if err != nil {
			return nil, err
		}
		s.definitions[name] = definition
	}
	return object{"$ref": "#/$defs/" + name}, nil
}

// define returns the schema of a type of package driverfile.
func (s *schemas) define(name string) (object, error) {
	of, ok := s.types[name]
	if !ok {
		return nil, fmt.Errorf("type %s of driver files is not known", name)
	}
	if schema, ok := foreign[name]; ok {
		return schema(), nil
	}
	switch typ := of.typ.(type) {
	case *ast.StructType:
		properties, required := object{}, []string{}
		if err := s.fields(typ, properties, &required); err != nil {
			return nil, err
		}
		schema := object{"type": "object", "description": describe(name, name, of.doc), "properties": properties, "additionalProperties": false}
		if len(required) > 0 {
			slices.Sort(required)
			schema["required"] = required
		}
		return schema, nil
	case *ast.Ident:
		return object{"type": typ.Name, "description": describe(name, name, of.doc), "enum": of.values}, nil
	}
	return nil, fmt.Errorf("type %s of driver files has no schema", name)
}

// fields adds the fields of a struct, and of the structs that are embedded in
// it.
func (s *schemas) fields(of *ast.StructType, properties object, required *[]string) error {
	for _, field := range of.Fields.List {
		name, optional := jsonName(field)
		if len(field.Names) == 0 && name == "" {
			embedded := field.Type.(*ast.Ident).Name
			if err := s.fields(s.types[embedded].typ.(*ast.StructType), properties, required); err != nil {
				return err
			}
		}
		if name == "" {
			continue
		}
		schema, err := s.schemaOf(field.Type)
		if err != nil {
			return fmt.Errorf("field %s: %w", name, err)
		}
		schema["description"] = describe(field.Names[0].Name, name, field.Doc.Text())
		properties[name] = schema
		if !optional {
			*required = append(*required, name)
		}
	}
	return nil
}

// schemaOf returns the schema of a type.
func (s *schemas) schemaOf(of ast.Expr) (object, error) {
	switch of := of.(type) {
	case *ast.StarExpr:
		return s.schemaOf(of.X)
	case *ast.ArrayType:
		items, err := s.schemaOf(of.Elt)
		return object{"type": "array", "items": items}, err
	case *ast.MapType:
		values, err := s.schemaOf(of.Value)
		return object{"type": "object", "additionalProperties": values}, err
	case *ast.SelectorExpr:
		name := of.X.(*ast.Ident).Name + "." + of.Sel.Name
		if schema, ok := foreign[name]; ok {
			return schema(), nil
		}
		return nil, fmt.Errorf("type %s has no schema", name)
	case *ast.Ident:
		if schema, ok := basic[of.Name]; ok {
			return object{"type": schema}, nil
		}
		return s.refer(of.Name)
	}
	return nil, fmt.Errorf("a type %T has no schema", of)
}

// basic has the names of Go's types in JSON schemas.
var basic = map[string]string{"string": "string", "bool": "boolean", "int64": "integer"}

// foreign has the schemas of types that are not described by their fields.
// Those of Kubernetes are checked by the command.
var foreign = map[string]func() object{
	"resource.Quantity":      func() object { return object{"type": []string{"string", "number"}} },
	"runtime.RawExtension":   func() object { return object{"type": "object"} },
	"corev1.Toleration":      func() object { return object{"type": "object"} },
	"corev1.SecurityContext": func() object { return object{"type": "object"} },
	"features.Feature":       func() object { return object{"type": "string", "enum": features.All()} },
	"Duration": func() object {
		return object{"type": "string", "pattern": "^([0-9.]+(h|m|s|ms))+$", "description": "A time such as 90s or 1m30s, at most 24h."}
	},
}

// describe returns a comment without line breaks. The name of the declaration,
// with which comments begin, is replaced by the one in the schema.
func describe(declaration, name, comment string) string {
	text := strings.Join(strings.Fields(comment), " ")
	if rest, ok := strings.CutPrefix(text, declaration); ok {
		text = name + rest
	}
	return text
}
