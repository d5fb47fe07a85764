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

// comments are what the sources of specs say about them.
type comments struct {
	// methods are how specs show their behaviour, by ID: the comments of the
	// variables that have the specs. A journey needs no comment, because its steps
	// have texts.
	methods map[string]string
	// about is what the specs of a profile are about, by profile: the comments of the
	// packages that have them.
	about map[string]string
}

// readComments reads the sources of specs. dir is the directory of the pages.
func readComments(dir string, specs []suite.Spec) (comments, error) {
	files, err := filepath.Glob(filepath.Join(dir, sources, "*", "*.go"))
	if err != nil {
		return comments{}, fmt.Errorf("list the sources of the specs: %w", err)
	}
	ids := sets.New[string]()
	for _, s := range specs {
		if s.Journey == nil {
			ids.Insert(s.ID)
		}
	}
	all := comments{methods: map[string]string{}, about: map[string]string{}}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return comments{}, fmt.Errorf("parse the source of a spec: %w", err)
		}
		maps.Copy(all.methods, methodsIn(file, ids))
		if profile, about := aboutIn(file); profile != "" {
			all.about[profile] = about
		}
	}
	for _, id := range sets.List(ids) {
		if all.methods[id] == "" {
			return comments{}, fmt.Errorf("spec %s has no comment above its variable in %s that describes what it does", id, sources)
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
	return capitalized(text)
}

// capitalized returns a text with a capital letter.
func capitalized(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
