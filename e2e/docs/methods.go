// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/draconform/draconform/e2e/suite"
)

// sources is the path from the pages to the folder with a package for each
// profile.
const sources = "../e2e/specs"

// methods returns how specs show their behaviour, by ID: the comment of the
// variable that has the spec. dir is the directory of the pages. A journey
// needs no comment, because its steps have texts.
func methods(dir string, specs []suite.Spec) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, sources, "*", "*.go"))
	if err != nil {
		return nil, fmt.Errorf("list the sources of the specs: %w", err)
	}
	ids := sets.New[string]()
	for _, s := range specs {
		if s.Journey == nil {
			ids.Insert(s.ID)
		}
	}
	all := map[string]string{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("parse the source of a spec: %w", err)
		}
		maps.Copy(all, methodsIn(file, ids))
	}
	for _, id := range sets.List(ids) {
		if all[id] == "" {
			return nil, fmt.Errorf("spec %s has no comment above its variable in %s that describes what it does", id, sources)
		}
	}
	return all, nil
}

// methodsIn returns the comments of the variables in a file, by the IDs of
// specs that occur in the values.
func methodsIn(file *ast.File, ids sets.Set[string]) map[string]string {
	found := map[string]string{}
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.VAR || decl.Doc == nil {
			continue
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			if id, err := strconv.Unquote(literal.Value); err == nil && ids.Has(id) {
				found[id] = sentences(decl)
			}
			return true
		})
	}
	return found
}

// sentences returns the comment of a variable. By Go's convention the comment
// begins with the name of the variable, which is not part of the result.
func sentences(decl *ast.GenDecl) string {
	text := decl.Doc.Text()
	if v, ok := decl.Specs[0].(*ast.ValueSpec); ok {
		text = strings.TrimPrefix(text, v.Names[0].Name+" ")
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
