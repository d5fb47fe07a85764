// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"fmt"
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/internal/rules"
)

// object is a JSON object.
type object = map[string]any

// definitionsPath is where references find definitions.
const definitionsPath = "#/$defs/"

// schemas collects the definitions of a schema.
type schemas struct {
	format  Format
	sources *packages
	// root is the package of the format. Its types have no prefix.
	root        string
	definitions object
}

// refer returns a reference to a type of a package, which it defines if necessary.
func (s *schemas) refer(pkg, name string) (object, error) {
	id := name
	if pkg != s.root {
		id = pkg + "." + name
	}
	if _, ok := s.definitions[id]; !ok {
		s.definitions[id] = nil // A type may refer to itself.
		definition, err := s.define(pkg, name)
		if err != nil {
			return nil, err
		}
		s.definitions[id] = definition
	}
	return object{"$ref": definitionsPath + id}, nil
}

// define returns the schema of a type.
func (s *schemas) define(pkg, name string) (object, error) {
	if schema, ok := foreign[pkg+"."+name]; ok {
		return schema(), nil
	}
	of, err := s.sources.find(pkg, name)
	if err != nil {
		return nil, err
	}
	switch typ := of.typ.(type) {
	case *ast.StructType:
		properties, required := object{}, []string{}
		if err := s.fields(pkg, typ, properties, &required); err != nil {
			return nil, err
		}
		schema := object{"type": "object", "description": describe(name, name, of.doc), "properties": properties}
		if !s.format.open {
			schema["additionalProperties"] = false
		}
		if len(required) > 0 {
			slices.Sort(required)
			schema["required"] = required
		}
		return schema, nil
	case *ast.MapType:
		schema, err := s.schemaOf(pkg, typ)
		if err == nil {
			schema["description"] = describe(name, name, of.doc)
		}
		return schema, err
	case *ast.Ident:
		schema := object{"type": typ.Name, "description": describe(name, name, of.doc)}
		if len(of.values) > 0 {
			schema["enum"] = of.values
		}
		return schema, nil
	}
	return nil, fmt.Errorf("type %s.%s has no schema", pkg, name)
}

// fields adds the fields of a struct, and of the structs that are embedded in
// it.
func (s *schemas) fields(pkg string, of *ast.StructType, properties object, required *[]string) error {
	for _, field := range of.Fields.List {
		name, optional := jsonName(field)
		if len(field.Names) == 0 && name == "" {
			if err := s.embedded(pkg, field.Type, properties, required); err != nil {
				return err
			}
		}
		if name == "" {
			continue
		}
		schema, err := s.schemaOf(pkg, field.Type)
		if err != nil {
			return fmt.Errorf("field %s: %w", name, err)
		}
		if text := describe(field.Names[0].Name, name, field.Doc.Text()); text != "" {
			schema["description"] = text
		}
		maps.Copy(schema, limits[pkg+"."+name])
		if !optional && s.format.nullable {
			schema = s.orNull(schema)
		}
		properties[name] = schema
		if !optional {
			*required = append(*required, name)
		}
	}
	return nil
}

// orNull adds null to the values of a list or a map.
func (s *schemas) orNull(schema object) object {
	if schema["type"] == "array" || schema["type"] == "object" {
		schema["type"] = []any{schema["type"], "null"}
	}
	ref, ok := schema["$ref"].(string)
	if !ok {
		return schema
	}
	of, ok := s.definitions[strings.TrimPrefix(ref, definitionsPath)].(object)
	if !ok || of["additionalProperties"] == nil || of["additionalProperties"] == false { // A struct is never null.
		return schema
	}
	delete(schema, "$ref")
	schema["anyOf"] = []any{object{"$ref": ref}, object{"type": "null"}}
	return schema
}

// embedded adds the fields of an embedded type, which may be that of the version
// and the kind.
func (s *schemas) embedded(pkg string, of ast.Expr, properties object, required *[]string) error {
	switch of := of.(type) {
	case *ast.Ident:
		found, err := s.sources.find(pkg, of.Name)
		if err != nil {
			return err
		}
		return s.fields(pkg, found.typ.(*ast.StructType), properties, required)
	case *ast.SelectorExpr:
		if of.Sel.Name != "TypeMeta" {
			return fmt.Errorf("the embedded type %s has no schema", of.Sel.Name)
		}
		properties["apiVersion"], properties["kind"] = object{"type": "string"}, object{"type": "string"}
		if s.format.kind != "" {
			*required = append(*required, "apiVersion", "kind")
		}
	}
	return nil
}

// schemaOf returns the schema of a type in a package.
func (s *schemas) schemaOf(pkg string, of ast.Expr) (object, error) {
	switch of := of.(type) {
	case *ast.StarExpr:
		return s.schemaOf(pkg, of.X)
	case *ast.ArrayType:
		items, err := s.schemaOf(pkg, of.Elt)
		return object{"type": "array", "items": items}, err
	case *ast.MapType:
		return s.mapOf(pkg, of)
	case *ast.SelectorExpr:
		name := of.X.(*ast.Ident).Name + "." + of.Sel.Name
		if schema, ok := foreign[name]; ok {
			return schema(), nil
		}
		return s.refer(of.X.(*ast.Ident).Name, of.Sel.Name)
	case *ast.Ident:
		if schema, ok := basic[of.Name]; ok {
			return object{"type": schema}, nil
		}
		return s.refer(pkg, of.Name)
	}
	return nil, fmt.Errorf("a type %T has no schema", of)
}

// mapOf returns the schema of a map.
func (s *schemas) mapOf(pkg string, of *ast.MapType) (object, error) {
	values, err := s.schemaOf(pkg, of.Value)
	if err != nil {
		return nil, err
	}
	schema := object{"type": "object", "additionalProperties": values}
	keys, err := s.schemaOf(pkg, of.Key)
	if len(keys) > 1 || keys["type"] != "string" { // Every key is a text.
		schema["propertyNames"] = keys
	}
	return schema, err
}

// basic has the names of Go's types in JSON schemas.
var basic = map[string]string{"string": "string", "bool": "boolean", "int": "integer", "int64": "integer", "float64": "number"}

// foreign has the schemas of types that are not described by their fields.
// Those of Kubernetes are checked by the command.
var foreign = map[string]func() object{
	"resource.Quantity":            func() object { return object{"type": []string{"string", "number"}} },
	"runtime.RawExtension":         func() object { return object{"type": "object"} },
	"corev1.ResourceName":          func() object { return object{"type": "string"} },
	"corev1.Toleration":            func() object { return object{"type": "object"} },
	"corev1.SecurityContext":       func() object { return object{"type": "object"} },
	"resourceapi.AllocationResult": func() object { return object{"type": "object"} },
	"metav1.Time":                  func() object { return object{"type": []string{"string", "null"}, "format": "date-time"} },
	"metav1.Duration":              func() object { return object{"type": "string", "pattern": "^-?([0-9.]+(h|m|s|ms|us|µs|ns))+$|^0$"} },
	"time.Time":                    func() object { return object{"type": "string", "format": "date-time"} },
	"features.Feature":             func() object { return object{"type": "string", "enum": features.All()} },
	// A spec of a run that ended early has no outcome.
	"suite.Outcome": func() object {
		return object{"type": "string", "enum": []suite.Outcome{suite.Passed, suite.Failed, suite.Skipped, suite.NotSupported, suite.NotApplicable, ""}}
	},
	"driverfile.Duration": func() object {
		return object{"type": "string", "pattern": "^([0-9.]+(h|m|s|ms))+$", "description": "A time such as 90s or 1m30s, at most 24h."}
	},
}

// limits are the limits of fields, by package and name, that comments state only
// in words.
var limits = map[string]object{
	"rules.attributeKeys": {"minItems": 1, "maxItems": rules.MaxAffinityKeys, "uniqueItems": true},
}

// docLinks are links of comments to other declarations.
var docLinks = regexp.MustCompile(`\[([A-Za-z.]+)\]`)

// describe returns a comment without line breaks. The name of the declaration,
// with which comments begin, is replaced by the one in the schema.
func describe(declaration, name, comment string) string {
	text := docLinks.ReplaceAllString(strings.Join(strings.Fields(comment), " "), "$1")
	if rest, ok := strings.CutPrefix(text, declaration); ok {
		text = name + rest
	}
	return text
}
