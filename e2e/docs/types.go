// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// declared is a type in a source file.
type declared struct {
	typ ast.Expr
	doc string
	// values are the constants of a string type, in the order of the source.
	values []string
}

// folders are the folders of the packages to which types of other packages refer.
var folders = map[string]string{
	"features": "e2e/features", "suite": "e2e/suite", "env": "e2e/suite/env", "journey": "e2e/suite/journey", "skew": "clusters/skew",
	"clusters": "clusters", "nodeimage": "clusters/nodeimage", "explain": "allocator/explain", "diagnose": "e2e/diagnose",
	"report": "e2e/report", "published": "e2e/report/published", "untried": "e2e/report/untried",
	"subject": "e2e/subject", "driverfile": "e2e/subject/driverfile", "preflight": "e2e/subject/preflight",
}

// packages has the types of a format and of the packages to which it refers.
type packages struct {
	// checkout is the root of the checkout, and root the folder of the format's
	// package in it.
	checkout, root string
	parsed         map[string]map[string]declared
}

// find returns a type of a package. It parses the package when it is needed first.
func (s *packages) find(pkg, name string) (declared, error) {
	if s.parsed[pkg] == nil {
		folder := folders[pkg]
		if pkg == path.Base(s.root) {
			folder = s.root
		}
		if folder == "" {
			return declared{}, fmt.Errorf("package %s of type %s is not known", pkg, name)
		}
		types, err := parseTypes(filepath.Join(s.checkout, folder))
		if err != nil {
			return declared{}, err
		}
		if s.parsed == nil {
			s.parsed = map[string]map[string]declared{}
		}
		s.parsed[pkg] = types
	}
	of, ok := s.parsed[pkg][name]
	if !ok {
		return declared{}, fmt.Errorf("type %s.%s is not known", pkg, name)
	}
	return of, nil
}

// parseTypes returns the types of the package in a folder by their names.
func parseTypes(dir string) (map[string]declared, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("list the sources in %s: %d files: %w", dir, len(files), err)
	}
	types := map[string]declared{}
	values := map[string][]string{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("parse types: %w", err)
		}
		for _, declaration := range file.Decls {
			if general, ok := declaration.(*ast.GenDecl); ok {
				collect(general, types, values)
			}
		}
	}
	for name, of := range types {
		of.values = values[name]
		types[name] = of
	}
	return types, nil
}

// collect adds the types and the typed constants of a declaration.
func collect(declaration *ast.GenDecl, types map[string]declared, values map[string][]string) {
	for _, spec := range declaration.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			types[spec.Name.Name] = declared{typ: spec.Type, doc: declaration.Doc.Text()}
		case *ast.ValueSpec:
			typ, ok := spec.Type.(*ast.Ident)
			if declaration.Tok != token.CONST || !ok || len(spec.Values) != 1 {
				continue
			}
			if literal, ok := spec.Values[0].(*ast.BasicLit); ok {
				if value, err := strconv.Unquote(literal.Value); err == nil {
					values[typ.Name] = append(values[typ.Name], value)
				}
			}
		}
	}
}

// jsonName returns the name of a field in JSON and whether it is optional. The
// name is empty if the field is not in JSON.
func jsonName(field *ast.Field) (name string, optional bool) {
	if field.Tag == nil {
		return "", false
	}
	tag, err := strconv.Unquote(field.Tag.Value)
	if err != nil {
		return "", false
	}
	name, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	return name, strings.Contains(options, "omit")
}
